import { useState } from 'react'
import { isProblem } from '../../api/problems.ts'
import { tenantry, useSession } from '../../api/tenantry.ts'
import { appName } from '../../app-facts.ts'
import { linkTokens } from '../../link-token.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { useForm } from '../../ui/use-form.ts'
import { AskForEmail } from './AskForEmail.tsx'
import { isDead, useLink } from './use-link.ts'

const { email } = tenantry.account

export function VerifyEmailPage() {
  const t = useTexts('links')
  const { signIn } = useTexts('auth')
  const { open } = useTexts('invitation')
  const isSignedIn = useSession().status === 'signed_in'
  const link = useLink(linkTokens.verifyEmail, email.checkVerification)
  const [outcome, setOutcome] = useState<'confirmed' | 'taken'>()
  const form = useForm({
    initial: {},
    submit: async () => {
      try {
        await email.verify({ token: link.token })
        setOutcome('confirmed')
        // Also where this person is signed in already.
        await tenantry.session.reload().catch(() => {})
      } catch (error) {
        if (isDead(error)) link.die()
        else if (isProblem(error) && error.code === 'email_taken') setOutcome('taken')
        else throw error
      }
    },
  })
  if (outcome) {
    const { heading, message } = t.confirmAddress[outcome]
    const isDone = outcome === 'confirmed' && isSignedIn
    return (
      <AuthFrame title={heading} intro={isDone ? t.confirmAddress.confirmed.signedIn : message}>
        <ButtonLink to="/" variant="primary" wide>
          {isSignedIn ? open({ site: appName }) : signIn.submit}
        </ButtonLink>
      </AuthFrame>
    )
  }
  if (link.state === 'missing' || link.state === 'dead') {
    const { heading, message } = link.state === 'missing' ? t.linkMissing : t.confirmAddress.linkInvalid
    const asked = (address: string) => ({
      heading: t.newLink.asked.heading,
      message: t.newLink.asked.message({ email: address }),
    })
    return (
      <AskForEmail
        title={heading}
        intro={`${message} ${t.newLink.intro}`}
        submit={t.newLink.submit}
        send={email.resendVerification}
        asked={asked}
      />
    )
  }
  return (
    <AuthFrame title={t.confirmAddress.heading} intro={t.confirmAddress.intro}>
      {link.state === 'checking' ? (
        <Skeleton lines={1} />
      ) : (
        <Form form={form}>
          <FormButtons form={form} wide>
            {t.confirmAddress.submit}
          </FormButtons>
        </Form>
      )}
    </AuthFrame>
  )
}
