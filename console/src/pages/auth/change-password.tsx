import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isProblem } from '../../api/problems.ts'
import { tenantry, useSession } from '../../api/tenantry.ts'
import { useSayProblem } from '../../api/use-say-problem.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { NewPasswordField } from './NewPasswordField.tsx'
import { isGoodPassword } from './rules.ts'
import { temporaryPassword } from './temporary-password.ts'

/** With a temporary password the service allows nothing else. */
export function ChangePasswordPage() {
  const { changePassword: t, fields, required, rules } = useTexts('auth')
  const navigate = useNavigate()
  const { say } = useSayProblem()
  const session = useSession()
  const isDemanded = session.status === 'signed_in' && session.mustChangePassword
  // What was typed at sign-in counts until it is refused, or until a reload.
  const [isKnown, setKnown] = useState(temporaryPassword.get() !== '')
  const form = useForm({
    initial: { currentPassword: temporaryPassword.get(), newPassword: '' },
    check: ({ currentPassword, newPassword }) => ({
      currentPassword: currentPassword ? undefined : required.password,
      newPassword: isGoodPassword(newPassword) ? undefined : rules.missing,
    }),
    fieldOf: { current_password_wrong: 'currentPassword', password_unchanged: 'newPassword' },
    submit: async (values) => {
      await tenantry.account.changeTemporaryPassword(values).catch(goOn)
      temporaryPassword.forget()
      await navigate({ to: '/', replace: true })
    },
  })
  // Another tab has replaced it, or the session has ended.
  const isOver = !isDemanded && !form.busy
  useEffect(() => {
    if (isOver) void navigate({ to: '/', replace: true })
  }, [isOver, navigate])
  const goOn = async (error: unknown) => {
    if (!isProblem(error) || error.code !== 'no_temporary_password') return askAgain(error)
    toast(say(error))
    await tenantry.session.reload()
  }
  const askAgain = (error: unknown): never => {
    if (isProblem(error) && error.code === 'current_password_wrong') {
      temporaryPassword.forget()
      setKnown(false)
      form.set({ currentPassword: '' })
    }
    throw error
  }
  const signOut = () => {
    temporaryPassword.forget()
    return tenantry.signOut().catch((error: unknown) => toast(say(error)))
  }
  if (isOver) return null
  return (
    <AuthFrame title={t.title} intro={t.intro}>
      <Form form={form}>
        {!isKnown && (
          <PasswordField
            label={fields.temporaryPassword}
            {...form.field('currentPassword')}
            autoComplete="current-password"
            autoFocus
          />
        )}
        <NewPasswordField label={fields.newPassword} {...form.field('newPassword')} autoFocus={isKnown} />
        <FormButtons
          form={form}
          beside={
            <Button variant="quiet" onClick={() => void signOut()}>
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
