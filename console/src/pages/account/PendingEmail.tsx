import { useEffect } from 'react'
import { isProblem } from '../../api/problems.ts'
import { tenantry } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'

const { email } = tenantry.account

/** A change of address that waits for the link in the email to the new one. */
export function PendingEmail({ current, pending }: { current: string; pending: string }) {
  const t = useTexts('account').email
  useNewsOnReturn()
  const resend = useForm({
    initial: {},
    submit: () => unlessDecided(email.resendChange().then(() => toast(t.linkSent({ email: pending })))),
  })
  const cancel = useForm({
    initial: {},
    submit: () => unlessDecided(email.cancelChange().then(() => toast(t.cancelled({ email: current })))),
  })
  return (
    <>
      <Alert title={t.pendingTitle({ email: pending })}>
        <p>{t.pendingMessage({ current })}</p>
      </Alert>
      <Form form={resend}>
        <FormButtons
          form={resend}
          variant="secondary"
          icon="mail"
          beside={
            <Button variant="quiet" busy={cancel.busy} onClick={() => void cancel.onSubmit()}>
              {t.cancel}
            </Button>
          }
        >
          {t.resend}
        </FormButtons>
      </Form>
    </>
  )
}

/** Confirmed or cancelled in another window: there is nothing left to do but to show it. */
const unlessDecided = (done: Promise<unknown>) =>
  done.catch((error: unknown) => {
    if (!isProblem(error) || error.code !== 'pending_email_not_found') throw error
    return tenantry.session.reload()
  })

/** People come back here from the email, in another window: whether the link was opened is read again then. */
function useNewsOnReturn(): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') tenantry.session.reload().catch(() => {})
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
}
