import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { tenantry, useSignedIn } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { Card } from '../../ui/Page.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { CompromisedField } from '../auth/CompromisedField.tsx'
import { NewPasswordField } from '../auth/NewPasswordField.tsx'
import { isGoodPassword } from '../auth/rules.ts'
import { AccountPage } from './AccountPage.tsx'
import styles from './account.module.css'
import { FactorsCard } from './FactorsCard.tsx'

const EMPTY = { currentPassword: '', newPassword: '', compromised: false }

export function SecurityPage() {
  const t = useTexts('account').security
  return (
    <AccountPage title={t.title} intro={t.intro}>
      <FactorsCard />
      <PasswordCard />
    </AccountPage>
  )
}

function PasswordCard() {
  const t = useTexts('account').password
  const { fields, required, rules } = useTexts('auth')
  const { account } = useSignedIn()
  const { email, email_verified, pending_email } = account
  const { to } = useSearch({ from: '/signed-in/account/security' })
  const navigate = useNavigate()
  // What it was about, as it was before.
  const [saved, setSaved] = useState<{ address: string | undefined }>()
  const form = useForm({
    initial: EMPTY,
    check: ({ currentPassword, newPassword }) => ({
      currentPassword: currentPassword ? undefined : required.password,
      newPassword: isGoodPassword(newPassword) ? undefined : rules.missing,
    }),
    fieldOf: { current_password_wrong: 'currentPassword', password_unchanged: 'newPassword' },
    submit: async (values) => {
      setSaved(undefined)
      const { signedOut } = await tenantry.account.changePassword(values)
      // The page for signing in says nothing of it.
      if (signedOut) return toast(t.saved)
      form.reset(EMPTY)
      // A company asked for it.
      if (to) {
        toast(t.saved)
        return navigate({ to, replace: true })
      }
      setSaved({ address: pending_email })
    },
  })
  return (
    <Card title={t.title} intro={t.intro}>
      {saved && (
        <Alert tone="success" title={t.saved}>
          <p>{t.savedMessage}</p>
          {saved.address && <p>{t.changeCanceled({ email: saved.address, current: email })}</p>}
          {!email_verified && <p>{t.linkDead({ email })}</p>}
        </Alert>
      )}
      {pending_email && !saved && <Alert>{t.cancelsChange({ email: pending_email })}</Alert>}
      <Form form={form}>
        {/* Tells password managers whose password it is. */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label={fields.currentPassword}
          {...form.field('currentPassword')}
          autoComplete="current-password"
        />
        <NewPasswordField label={fields.newPassword} {...form.field('newPassword')} />
        <CompromisedField
          value={form.values.compromised}
          onChange={(compromised) => form.set({ compromised })}
          endsSession
        />
        <FormButtons form={form}>{t.submit}</FormButtons>
      </Form>
      <p className={styles.aside}>
        {t.forgotten} <Link to="/reset-password">{t.reset}</Link>
      </p>
    </Card>
  )
}
