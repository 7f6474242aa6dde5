import { useState } from 'react'
import { tenantry } from '../../api/tenantry.ts'
import { linkTokens } from '../../link-token.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { useForm } from '../../ui/use-form.ts'
import { AskForEmail } from './AskForEmail.tsx'
import { CompromisedField } from './CompromisedField.tsx'
import { NewPasswordField } from './NewPasswordField.tsx'
import { isGoodPassword } from './rules.ts'
import { isDead, useLink } from './use-link.ts'

const { recovery } = tenantry.account

/** Without a link it is asked for; with one a new password is chosen. */
export function ResetPasswordPage() {
  const [asks, setAsks] = useState(!linkTokens.resetPassword)
  return asks ? <AskForLink /> : <ChoosePassword onAsk={() => setAsks(true)} />
}

function AskForLink() {
  const { askForLink: t } = useTexts('links')
  return (
    <AskForEmail
      title={t.heading}
      intro={t.intro}
      submit={t.submit}
      send={recovery.request}
      asked={(email) => ({ ...t.asked, message: t.asked.message({ email }) })}
    />
  )
}

function ChoosePassword({ onAsk }: { onAsk: () => void }) {
  const { choosePassword: t } = useTexts('links')
  const { fields, rules, signIn } = useTexts('auth')
  const link = useLink(linkTokens.resetPassword, recovery.check)
  const [isSaved, setSaved] = useState(false)
  const form = useForm({
    initial: { newPassword: '', compromised: false },
    check: ({ newPassword }) => ({ newPassword: isGoodPassword(newPassword) ? undefined : rules.missing }),
    fieldOf: { password_unchanged: 'newPassword' },
    submit: async ({ newPassword, compromised }) => {
      try {
        await recovery.reset({ token: link.token, newPassword, compromised })
        setSaved(true)
      } catch (error) {
        if (!isDead(error) || namesPassword(error)) throw error
        link.die()
      }
    },
  })
  if (isSaved) {
    return (
      <AuthFrame title={t.saved.heading} intro={t.saved.message}>
        <ButtonLink to="/sign-in" variant="primary" wide>
          {signIn.submit}
        </ButtonLink>
      </AuthFrame>
    )
  }
  if (link.state === 'dead') {
    return (
      <AuthFrame title={t.linkInvalid.heading} intro={t.linkInvalid.message}>
        <Button variant="primary" wide onClick={onAsk}>
          {t.linkInvalid.next}
        </Button>
      </AuthFrame>
    )
  }
  return (
    <AuthFrame title={t.heading} intro={t.intro}>
      {link.state === 'checking' ? (
        <Skeleton lines={3} />
      ) : (
        <Form form={form}>
          <NewPasswordField label={fields.newPassword} {...form.field('newPassword')} />
          <CompromisedField value={form.values.compromised} onChange={(compromised) => form.set({ compromised })} />
          <FormButtons form={form} wide>
            {t.submit}
          </FormButtons>
        </Form>
      )}
    </AuthFrame>
  )
}

const namesPassword = (error: unknown) =>
  typeof error === 'object' &&
  error !== null &&
  JSON.stringify('details' in error ? error.details : '').includes('newPassword')
