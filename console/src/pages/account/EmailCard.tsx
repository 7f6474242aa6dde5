import { useEffect, useRef } from 'react'
import { tenantry, useSignedIn } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Badge } from '../../ui/Badge.tsx'
import { EmailField } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { Card } from '../../ui/Page.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { isEmail } from '../auth/rules.ts'
import styles from './account.module.css'
import { PendingEmail } from './PendingEmail.tsx'

export function EmailCard() {
  const t = useTexts('account').email
  const { email, email_verified, pending_email } = useSignedIn().account
  useNewsOfChange(email, pending_email)
  return (
    <Card title={t.heading} intro={t.intro}>
      <p className={styles.address}>
        <span>{email}</span>
        <Badge tone={email_verified ? 'success' : 'warning'}>{email_verified ? t.confirmed : t.unconfirmed}</Badge>
      </p>
      {!email_verified && !pending_email && <ConfirmEmail email={email} />}
      {pending_email ? <PendingEmail current={email} pending={pending_email} /> : <ChangeEmail current={email} />}
    </Card>
  )
}

function ConfirmEmail({ email }: { email: string }) {
  const t = useTexts('account').email
  const form = useForm({
    initial: {},
    submit: async () => {
      await tenantry.account.email.resendVerification({ email })
      toast(t.linkSent({ email }))
    },
  })
  return (
    <Form form={form}>
      <FormButtons form={form} variant="secondary" icon="mail">
        {t.sendLink}
      </FormButtons>
    </Form>
  )
}

function ChangeEmail({ current }: { current: string }) {
  const t = useTexts('account').email
  const form = useForm({
    initial: { email: '' },
    check: ({ email }) => ({ email: wrongWith(email.trim()) }),
    fieldOf: { email_taken: 'email', email_reserved: 'email' },
    submit: async ({ email }) => {
      await tenantry.account.changeEmail(email.trim())
      toast(t.linkSent({ email: email.trim() }))
    },
  })
  const wrongWith = (email: string) => {
    if (!isEmail(email)) return t.emailMissing
    return email.toLowerCase() === current ? t.sameEmail : undefined
  }
  return (
    <Form form={form}>
      <EmailField label={t.newEmail} hint={t.whatHappens} {...form.field('email')} />
      <FormButtons form={form} variant="secondary">
        {t.submit}
      </FormButtons>
    </Form>
  )
}

/** Says so when the change has taken effect, which happens in the window that the link opened. */
function useNewsOfChange(email: string, pending: string | undefined): void {
  const { done } = useTexts('account').email
  const awaited = useRef(pending)
  useEffect(() => {
    if (awaited.current === email) toast(done({ email }))
    awaited.current = pending
  }, [email, pending, done])
}
