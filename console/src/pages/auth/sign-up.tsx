import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { withFreeSlug } from '../../api/slugs.ts'
import { tenantry } from '../../api/tenantry.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { currentLocale } from '../../texts/language.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { EmailField, TextField } from '../../ui/Field.tsx'
import { FieldGroup, Form, FormButtons } from '../../ui/Form.tsx'
import { useForm } from '../../ui/use-form.ts'
import { useLinkCompany } from '../invitation/use-link-company.ts'
import { NewPasswordField } from './NewPasswordField.tsx'
import { isEmail, isGoodPassword } from './rules.ts'

export function SignUpPage() {
  const { signUp: t, fields, required, rules } = useTexts('auth')
  const { to } = useSearch({ from: '/sign-up' })
  const { data: company } = useLinkCompany(to === '/join')
  const navigate = useNavigate()
  const form = useForm({
    initial: { name: '', email: '', password: '', companyName: '', taxId: '' },
    check: ({ name, email, password, companyName, taxId }) => ({
      name: name.trim() ? undefined : required.name,
      email: isEmail(email) ? undefined : required.email,
      password: isGoodPassword(password) ? undefined : rules.missing,
      companyName: companyName.trim() ? undefined : required.companyName,
      taxId: taxId.trim() ? undefined : required.taxId,
    }),
    fieldOf: { email_taken: 'email' },
    submit: async (values) => {
      const body = { ...values, email: values.email.trim(), locale: currentLocale() }
      await withFreeSlug(values.companyName, (slug) => tenantry.register({ ...body, ...(slug && { slug }) }))
      await navigate({ to: to ?? '/', replace: true })
    },
  })
  return (
    <AuthFrame
      wide
      title={t.title}
      intro={t.intro}
      foot={
        <>
          {t.hasAccount}{' '}
          <Link to="/sign-in" search={{ to }}>
            {t.signIn}
          </Link>
        </>
      }
    >
      {company !== undefined && <Alert>{t.joining({ company })}</Alert>}
      <Form form={form}>
        <FieldGroup>
          <TextField label={fields.name} {...form.field('name')} autoComplete="name" autoFocus />
          <EmailField label={fields.email} {...form.field('email')} />
          <NewPasswordField label={fields.password} {...form.field('password')} />
        </FieldGroup>
        <FieldGroup legend={t.company}>
          <TextField label={fields.companyName} {...form.field('companyName')} autoComplete="organization" />
          <TextField label={fields.taxId} hint={fields.taxIdHint} {...form.field('taxId')} autoComplete="off" />
        </FieldGroup>
        <FormButtons form={form} wide>
          {t.submit}
        </FormButtons>
      </Form>
    </AuthFrame>
  )
}
