import { isProblem } from '../api/problems.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ProblemAlert } from './Alert.tsx'
import { Button } from './Button.tsx'
import { toast } from './toasts.ts'
import { useForm } from './use-form.ts'

/** Below the field for a code from an email. `call` is made without a code, which is what sends one. */
export function SendAnotherCode({ call }: { call: () => Promise<unknown> }) {
  const { mailboxCode: t } = useTexts('common')
  const again = useForm({
    initial: {},
    submit: () =>
      call().catch((problem: unknown) => {
        if (!isProblem(problem) || problem.code !== 'mailbox_code_required') throw problem
        toast(t.sent)
      }),
  })
  return (
    <>
      {again.problem !== undefined && <ProblemAlert problem={again.problem} />}
      <Button variant="quiet" busy={again.busy} onClick={() => void again.onSubmit()}>
        {t.again}
      </Button>
    </>
  )
}
