import { type ReactNode, useState } from 'react'
import { isProblem } from '../../api/problems.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendAnotherCode } from '../../ui/SendAnotherCode.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { useForm } from '../../ui/use-form.ts'

interface Wanted {
  /** Without a code it has another one sent. */
  send: (code?: string) => Promise<void>
  giveUp: () => void
}

interface MailboxCode {
  /** Sends it again with the code that the person enters; undefined: the person gave up. */
  withCode: <Result>(call: (emailCode?: string) => Promise<Result>) => Promise<Result | undefined>
  /** Stands anywhere on the page. */
  dialog: ReactNode
}

/** Joining and answering are for the reader of the mailbox: the session enters a code from it, once. */
export function useMailboxCode(): MailboxCode {
  const [wanted, setWanted] = useState<Wanted>()
  const ask = <Result,>(call: (emailCode?: string) => Promise<Result>) =>
    new Promise<Result | undefined>((resolve) => {
      const end = (result?: Result) => {
        setWanted(undefined)
        resolve(result)
      }
      setWanted({ send: async (code) => end(await call(code)), giveUp: () => end() })
    })
  return {
    withCode: (call) =>
      call().catch((problem: unknown) => {
        if (!isProblem(problem) || problem.code !== 'mailbox_code_required') throw problem
        return ask(call)
      }),
    dialog: wanted && <CodeDialog {...wanted} />,
  }
}

function CodeDialog({ send, giveUp }: Wanted) {
  const { code: t } = useTexts('invitation')
  const { mailboxCode } = useTexts('common')
  const form = useForm({
    initial: { code: '' },
    check: ({ code }) => ({ code: code.trim() ? undefined : mailboxCode.missing }),
    words: { second_factor_wrong: mailboxCode.wrong, validation_failed: mailboxCode.wrong },
    fieldOf: { second_factor_wrong: 'code', validation_failed: 'code' },
    submit: ({ code }) => send(code.trim()),
  })
  return (
    <Dialog open sticky onClose={giveUp} title={t.title} intro={t.intro}>
      <Form form={form}>
        <TextField label={t.label} {...form.field('code')} autoComplete="one-time-code" inputMode="numeric" autoFocus />
        <SendButtons form={form} onCancel={giveUp}>
          {t.submit}
        </SendButtons>
        <SendAnotherCode call={send} />
      </Form>
    </Dialog>
  )
}
