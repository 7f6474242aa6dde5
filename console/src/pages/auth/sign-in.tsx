import { Link, useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { type ComponentProps, useState } from 'react'
import { canUsePasskeys } from '../../api/passkeys.ts'
import { isProblem } from '../../api/problems.ts'
import { tenantry, useSession } from '../../api/tenantry.ts'
import { appName, canSignUp } from '../../app-facts.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert, ProblemAlert } from '../../ui/Alert.tsx'
import { EmailField, PasswordField } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { useForm } from '../../ui/use-form.ts'
import styles from './auth.module.css'
import { isEmail } from './rules.ts'
import { SecondFactor } from './SecondFactor.tsx'
import { temporaryPassword } from './temporary-password.ts'
import { usePasskeySignIn } from './use-passkey-sign-in.ts'

type Challenge = ComponentProps<typeof SecondFactor>['challenge']

export function SignInPage() {
  const { signIn: t, fields, required } = useTexts('auth')
  const { to } = useSearch({ from: '/sign-in' })
  const known = useLocation().state.email ?? ''
  const navigate = useNavigate()
  const session = useSession()
  const [challenge, setChallenge] = useState<Challenge>()
  const form = useForm({
    initial: { email: known, password: '' },
    check: ({ email, password }) => ({
      email: isEmail(email) ? undefined : required.email,
      password: password ? undefined : required.password,
    }),
    submit: async (values) => {
      const state = await tenantry.signIn({ ...values, email: values.email.trim() }).catch(askForFactor)
      if (state) await enter(state)
    },
  })
  const askForFactor = (error: unknown) => {
    if (!isProblem(error) || error.code !== 'second_factor_required') throw error
    setChallenge(error.challenge)
  }
  const enter = async ({ mustChangePassword }: { mustChangePassword: boolean }) => {
    if (mustChangePassword) temporaryPassword.keep(form.values.password)
    await navigate({ to: to ?? '/', replace: true })
  }
  const passkey = usePasskeySignIn(enter, { isPaused: challenge !== undefined })
  if (challenge) return <SecondFactor challenge={challenge} onSignedIn={enter} onBack={() => setChallenge(undefined)} />
  const hasEnded = session.status === 'signed_out' && session.reason === 'ended'
  return (
    <AuthFrame
      title={t.title}
      intro={t.intro({ site: appName })}
      foot={
        canSignUp && (
          <>
            {t.noAccount}{' '}
            <Link to="/sign-up" search={{ to }}>
              {t.signUp}
            </Link>
          </>
        )
      }
    >
      {hasEnded && <Alert tone="info">{t.ended}</Alert>}
      <Form form={form}>
        <EmailField label={fields.email} {...form.field('email')} autoComplete="username webauthn" autoFocus={!known} />
        <div className={styles.passwordWithLink}>
          <PasswordField
            label={fields.password}
            {...form.field('password')}
            autoComplete="current-password"
            autoFocus={Boolean(known)}
          />
          <Link to="/reset-password" className={styles.forgotten}>
            {t.forgotten}
          </Link>
        </div>
        <FormButtons form={form} wide>
          {t.submit}
        </FormButtons>
      </Form>
      {canUsePasskeys && (
        <>
          <p className={styles.or}>{t.or}</p>
          <Form form={passkey.form}>
            {passkey.problem !== undefined && <ProblemAlert problem={passkey.problem} />}
            <FormButtons form={passkey.form} wide variant="secondary" icon="key">
              {t.passkey}
            </FormButtons>
          </Form>
        </>
      )}
    </AuthFrame>
  )
}
