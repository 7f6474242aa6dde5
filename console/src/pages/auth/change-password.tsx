import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { tenantry, useSession } from '../../api/tenantry.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { useForm } from '../../ui/use-form.ts'
import { NewPasswordField } from './NewPasswordField.tsx'
import { isGoodPassword } from './rules.ts'

/** With a temporary password the service allows nothing else. */
export function ChangePasswordPage() {
  const { changePassword: t, fields, required, rules } = useTexts('auth')
  const navigate = useNavigate()
  const session = useSession()
  const isDemanded = session.status === 'signed_in' && session.mustChangePassword
  useEffect(() => {
    void tenantry.session.restore().then((state) => {
      if (state.status !== 'signed_in' || !state.mustChangePassword) void navigate({ to: '/', replace: true })
    })
  }, [navigate])
  const form = useForm({
    initial: { currentPassword: '', newPassword: '' },
    check: ({ currentPassword, newPassword }) => ({
      currentPassword: currentPassword ? undefined : required.password,
      newPassword: isGoodPassword(newPassword) ? undefined : rules.missing,
    }),
    fieldOf: { current_password_wrong: 'currentPassword', password_unchanged: 'newPassword' },
    submit: async (values) => {
      await tenantry.account.changeTemporaryPassword(values)
      await navigate({ to: '/', replace: true })
    },
  })
  if (!isDemanded && !form.busy) return null
  return (
    <AuthFrame title={t.title} intro={t.intro}>
      <Form form={form}>
        <PasswordField
          label={fields.temporaryPassword}
          {...form.field('currentPassword')}
          autoComplete="current-password"
          autoFocus
        />
        <NewPasswordField label={fields.newPassword} {...form.field('newPassword')} />
        <FormButtons
          form={form}
          beside={
            <Button variant="quiet" onClick={() => void tenantry.signOut().then(() => navigate({ to: '/sign-in' }))}>
              {t.signOut}
            </Button>
          }
        >
          {t.submit}
        </FormButtons>
      </Form>
    </AuthFrame>
  )
}
