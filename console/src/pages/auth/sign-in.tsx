import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { tenantry, useSession } from '../../api/tenantry.ts'
import { appName } from '../../app-facts.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { EmailField, PasswordField } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { useForm } from '../../ui/use-form.ts'
import styles from './auth.module.css'
import { isEmail } from './rules.ts'

export function SignInPage() {
  const { signIn: t, fields, required } = useTexts('auth')
  const { to } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const session = useSession()
  const form = useForm({
    initial: { email: '', password: '' },
    check: ({ email, password }) => ({
      email: isEmail(email) ? undefined : required.email,
      password: password ? undefined : required.password,
    }),
    submit: async (values) => {
      await tenantry.signIn({ ...values, email: values.email.trim() })
      await navigate({ to: to ?? '/', replace: true })
    },
  })
  const hasEnded = session.status === 'signed_out' && session.reason === 'ended'
  return (
    <AuthFrame
      title={t.title}
      intro={t.intro({ site: appName })}
      foot={
        <>
          {t.noAccount}{' '}
          <Link to="/sign-up" search={{ to }}>
            {t.signUp}
          </Link>
        </>
      }
    >
      {hasEnded && <Alert tone="info">{t.ended}</Alert>}
      <Form form={form}>
        <EmailField label={fields.email} {...form.field('email')} autoComplete="username" autoFocus />
        <div className={styles.passwordWithLink}>
          <PasswordField label={fields.password} {...form.field('password')} autoComplete="current-password" />
          <Link to="/reset-password" className={styles.forgotten}>
            {t.forgotten}
          </Link>
        </div>
        <FormButtons form={form} wide>
          {t.submit}
        </FormButtons>
      </Form>
    </AuthFrame>
  )
}
