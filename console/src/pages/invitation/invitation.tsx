import { type ReactNode, useState } from 'react'
import { useSession } from '../../api/tenantry.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { AcceptForm, SignedInAsAnother } from './Accept.tsx'
import { Decline } from './Decline.tsx'
import styles from './invitation.module.css'
import { LinkMissing, OpenLink } from './LinkMissing.tsx'
import { RegisterForm } from './RegisterForm.tsx'
import { type End, type Preview, useInvitation } from './use-invitation.ts'

/** Where the link in an invitation leads, for people with and without an account, and with and without a session. */
export function InvitationPage() {
  const t = useTexts('invitation')
  const { linkMissing } = useTexts('links')
  const { found, again } = useInvitation()
  const [end, setEnd] = useState<End>()
  if (end) return <Ending end={end} />
  if (found.state === 'dead') return <Ending end={{ how: 'dead' }} />
  if (found.state === 'missing') return <LinkMissing intro={linkMissing.message} />
  if (found.state === 'found') return <Found preview={found.preview} onEnd={setEnd} />
  return (
    <AuthFrame title={t.title}>
      {found.state === 'failed' ? <ErrorState problem={found.problem} onRetry={again} /> : <Skeleton lines={3} />}
    </AuthFrame>
  )
}

interface FoundProps {
  preview: Preview
  onEnd: (end: End) => void
}

function Found({ preview, onEnd }: FoundProps) {
  const t = useTexts('invitation')
  const { moment } = useFormat()
  const session = useSession()
  const { company, inviter, email, expires_at } = preview
  const account = session.status === 'signed_in' ? session.account : undefined
  if (account && account.email.toLowerCase() !== email.toLowerCase())
    return <SignedInAsAnother account={account.email} email={email} />
  return (
    <AuthFrame
      title={t.title}
      intro={t.about({ inviter: inviter?.name ?? t.someone, company: company.name })}
      foot={<Decline company={company.name} onEnd={onEnd} />}
    >
      <Answer preview={preview} onEnd={onEnd} />
      <p className={styles.quiet}>{t.until({ moment: moment(expires_at) })}</p>
    </AuthFrame>
  )
}

function Answer({ preview, onEnd }: FoundProps) {
  const t = useTexts('invitation')
  const session = useSession()
  // An address can get an account while the page is open.
  const [hasAccount, setHasAccount] = useState(false)
  // Registering signs in before the next page is loaded: there is nothing to accept any more.
  const [isJoining, setJoining] = useState(false)
  const register = (
    <RegisterForm email={preview.email} onEnd={onEnd} onTaken={() => setHasAccount(true)} onJoining={setJoining} />
  )
  if (isJoining) return register
  if (session.status === 'signed_in' && session.mustChangePassword)
    return (
      <Step text={t.password.intro}>
        <ButtonLink to="/change-password" variant="primary" wide>
          {t.password.action}
        </ButtonLink>
      </Step>
    )
  if (session.status === 'signed_in') return <AcceptForm email={preview.email} onEnd={onEnd} />
  if (preview.next === 'register' && !hasAccount) return register
  if (preview.next === 'none') return <p>{t.noAccounts}</p>
  return (
    <Step text={t.signIn.intro({ email: preview.email })}>
      <ButtonLink to="/sign-in" search={{ to: '/invitation' }} state={{ email: preview.email }} variant="primary" wide>
        {t.signIn.action}
      </ButtonLink>
    </Step>
  )
}

function Step({ text, children }: { text: string; children: ReactNode }) {
  return (
    <div className={styles.step}>
      <p>{text}</p>
      {children}
    </div>
  )
}

/** Nothing more can be done here. */
function Ending({ end }: { end: End }) {
  const t = useTexts('invitation')
  const isSignedIn = useSession().status === 'signed_in'
  const { title, intro } =
    end.how === 'inactive' ? { ...t.inactive, intro: t.inactive.intro({ company: end.company }) } : t[end.how]
  return (
    <AuthFrame title={title} intro={intro}>
      {(isSignedIn || end.how !== 'declined') && <OpenLink />}
    </AuthFrame>
  )
}
