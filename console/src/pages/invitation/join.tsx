import { useState } from 'react'
import { isProblem } from '../../api/problems.ts'
import { tenantry, useSession } from '../../api/tenantry.ts'
import { useSayProblem } from '../../api/use-say-problem.ts'
import { canSignUp } from '../../app-facts.ts'
import { linkTokens } from '../../link-token.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { isDead } from '../auth/use-link.ts'
import styles from './invitation.module.css'
import { LinkMissing, OpenLink } from './LinkMissing.tsx'
import { useEnter } from './use-enter.ts'
import { type End, endOf } from './use-invitation.ts'
import { useLinkCompany } from './use-link-company.ts'
import { useMailboxCode } from './use-mailbox-code.tsx'

/** Where a link leads that a company hands out. Whoever has it may join, with an account and a verified address. */
export function JoinPage() {
  const t = useTexts('invitation')
  const session = useSession()
  const { data: company, error, refetch } = useLinkCompany()
  const [end, setEnd] = useState<End>()
  if (!linkTokens.join) return <LinkMissing intro={t.join.missing} />
  if (end) return <Ended end={end} />
  if (isDead(error)) return <Ended end={{ how: 'dead' }} />
  if (company === undefined)
    return (
      <AuthFrame title={t.join.title}>
        {error ? <ErrorState problem={error} onRetry={() => void refetch()} /> : <Skeleton lines={3} />}
      </AuthFrame>
    )
  if (session.status !== 'signed_in') return <Outside company={company} />
  if (session.mustChangePassword)
    return (
      <AuthFrame title={t.join.title} intro={t.password.intro}>
        <ButtonLink to="/change-password" variant="primary" wide>
          {t.password.action}
        </ButtonLink>
      </AuthFrame>
    )
  return <JoinForm company={company} email={session.account.email} onEnd={setEnd} />
}

function Outside({ company }: { company: string }) {
  const { join: t } = useTexts('invitation')
  return (
    <AuthFrame title={t.title} intro={t.about({ company })}>
      <div className={styles.step}>
        <ButtonLink to="/sign-in" search={{ to: '/join' }} variant="primary" wide>
          {t.signIn}
        </ButtonLink>
        {canSignUp && (
          <ButtonLink to="/sign-up" search={{ to: '/join' }} wide>
            {t.signUp}
          </ButtonLink>
        )}
      </div>
    </AuthFrame>
  )
}

interface JoinProps {
  company: string
  email: string
  onEnd: (end: End) => void
}

function JoinForm({ company, email, onEnd }: JoinProps) {
  const { join: t } = useTexts('invitation')
  const enter = useEnter()
  const { withCode, dialog } = useMailboxCode()
  const [isUnconfirmed, setUnconfirmed] = useState(false)
  const form = useForm({
    initial: {},
    submit: async () => {
      setUnconfirmed(false)
      try {
        const joined = await withCode((emailCode) =>
          tenantry.invitation.joinByLink({ token: linkTokens.join, ...(emailCode && { emailCode }) }),
        )
        const end = joined && (await enter(joined))
        if (end) onEnd(end)
      } catch (problem) {
        const end = endOf(problem)
        if (end) onEnd(end)
        else if (isProblem(problem) && problem.code === 'email_verification_required') setUnconfirmed(true)
        else throw problem
      }
    },
  })
  return (
    <AuthFrame title={t.title} intro={t.as({ company, email })}>
      {isUnconfirmed && <Unconfirmed email={email} />}
      <Form form={form}>
        <FormButtons form={form} wide>
          {t.action}
        </FormButtons>
      </Form>
      {dialog}
    </AuthFrame>
  )
}

function Unconfirmed({ email }: { email: string }) {
  const { join: t } = useTexts('invitation')
  const { say } = useSayProblem()
  const [isSent, setSent] = useState(false)
  const [busy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    await tenantry.account.email.resendVerification({ email }).then(
      () => setSent(true),
      (problem: unknown) => toast(say(problem)),
    )
    setBusy(false)
  }
  if (isSent) return <Alert tone="info">{t.confirmNext({ email })}</Alert>
  return (
    <Alert tone="warning">
      <p>{t.confirm}</p>
      <Button busy={busy} onClick={() => void send()}>
        {t.send}
      </Button>
    </Alert>
  )
}

function Ended({ end }: { end: End }) {
  const t = useTexts('invitation')
  const texts =
    end.how === 'inactive'
      ? { title: t.inactive.title, intro: t.inactive.intro({ company: end.company }) }
      : { title: t.dead.title, intro: end.how === 'void' ? t.void.intro : t.join.dead }
  return (
    <AuthFrame {...texts}>
      <OpenLink />
    </AuthFrame>
  )
}
