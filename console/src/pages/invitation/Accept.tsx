import { useState } from 'react'
import { tenantry } from '../../api/tenantry.ts'
import { linkTokens } from '../../link-token.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { ProblemAlert } from '../../ui/Alert.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { useForm } from '../../ui/use-form.ts'
import styles from './invitation.module.css'
import { useEnter } from './use-enter.ts'
import { type End, endOf } from './use-invitation.ts'

/** For people who are signed in with the address of the invitation. */
export function AcceptForm({ email, onEnd }: { email: string; onEnd: (end: End) => void }) {
  const { accept: t } = useTexts('invitation')
  const enter = useEnter()
  const form = useForm({
    initial: {},
    submit: async () => {
      try {
        const end = await enter(await tenantry.invitation.accept({ token: linkTokens.invitation }))
        if (end) onEnd(end)
      } catch (problem) {
        const end = endOf(problem)
        if (!end) throw problem
        onEnd(end)
      }
    },
  })
  return (
    <Form form={form}>
      <p>{t.intro({ email })}</p>
      <FormButtons form={form} wide>
        {t.action}
      </FormButtons>
    </Form>
  )
}

/** Nobody joins by the invitation of another address, so the way on is to sign out. */
export function SignedInAsAnother({ account, email }: { account: string; email: string }) {
  const { another: t } = useTexts('invitation')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const signOut = async () => {
    setBusy(true)
    await tenantry.signOut().catch(setProblem)
    setBusy(false)
  }
  return (
    <AuthFrame title={t.title} intro={t.intro({ account, email })}>
      {problem !== undefined && <ProblemAlert problem={problem} />}
      <div className={styles.step}>
        <Button variant="primary" wide busy={busy} onClick={() => void signOut()}>
          {t.action}
        </Button>
        <ButtonLink to="/" wide>
          {t.stay}
        </ButtonLink>
      </div>
    </AuthFrame>
  )
}
