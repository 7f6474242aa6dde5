import { useNavigate } from '@tanstack/react-router'
import { isProblem } from '../../api/problems.ts'
import { tenantry } from '../../api/tenantry.ts'
import { linkTokens } from '../../link-token.ts'
import { currentLocale } from '../../texts/language.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { TextField } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { NewPasswordField } from '../auth/NewPasswordField.tsx'
import { isGoodPassword } from '../auth/rules.ts'
import { type End, endOf } from './use-invitation.ts'

interface RegisterProps {
  email: string
  onEnd: (end: End) => void
  /** The address has an account by now. */
  onTaken: () => void
  /** From the moment at which it is sent, until it has failed. */
  onJoining: (isJoining: boolean) => void
}

/** The service takes the address from the invitation: it is here for password managers. */
export function RegisterForm({ email, onEnd, onTaken, onJoining }: RegisterProps) {
  const t = useTexts('invitation')
  const { fields, required, rules } = useTexts('auth')
  const navigate = useNavigate()
  const form = useForm({
    initial: { name: '', password: '' },
    check: ({ name, password }) => ({
      name: name.trim() ? undefined : required.name,
      password: isGoodPassword(password) ? undefined : rules.missing,
    }),
    submit: async ({ name, password }) => {
      onJoining(true)
      try {
        const body = { token: linkTokens.invitation, name: name.trim(), password, locale: currentLocale() }
        const { companies } = await tenantry.invitation.register(body)
        const [company] = companies
        if (company) toast(t.joined({ company: company.name }))
        await navigate({ to: '/', replace: true })
      } catch (problem) {
        onJoining(false)
        if (isProblem(problem) && problem.code === 'email_taken') return onTaken()
        // A password that is refused is a matter of its field, and not of the link.
        const end = isProblem(problem) && problem.code === 'validation_failed' ? undefined : endOf(problem)
        if (!end) throw problem
        onEnd(end)
      }
    },
  })
  return (
    <Form form={form}>
      <p>{t.register.intro({ email })}</p>
      <input hidden type="email" name="username" autoComplete="username" value={email} readOnly />
      <TextField label={fields.name} {...form.field('name')} autoComplete="name" />
      <NewPasswordField label={fields.password} {...form.field('password')} />
      <FormButtons form={form} wide>
        {t.register.submit}
      </FormButtons>
    </Form>
  )
}
