import type { ReactNode } from 'react'
import { tenantry, useSignedIn } from '../../api/tenantry.ts'
import { readTransfer } from '../../api/transfer.ts'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useSayProblem } from '../../api/use-say-problem.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { toast } from '../../ui/toasts.ts'
import styles from './home.module.css'

export function Attention() {
  const t = useTexts('home')
  const tasks = [useEmailTask(), useTransferTask(), useFirstMemberTask()].filter(Boolean)
  return (
    <section>
      <h2 className={styles.heading}>{t.attention}</h2>
      {tasks.length > 0 ? (
        <ul className={styles.list}>{tasks}</ul>
      ) : (
        <p className={styles.quiet}>
          <Icon name="check" />
          {t.nothing.message}
        </p>
      )}
    </section>
  )
}

function Task({ icon, title, message, action }: { icon: IconName; title: string; message: string; action: ReactNode }) {
  return (
    <li className={styles.task}>
      <div className={styles.what}>
        <Icon name={icon} size={18} />
        <strong>{title}</strong>
        <p>{message}</p>
      </div>
      {action}
    </li>
  )
}

function useEmailTask() {
  const t = useTexts('home')
  const { say } = useSayProblem()
  const { email, email_verified, pending_email } = useSignedIn().account
  if (pending_email) {
    const { title, message, action } = t.pendingEmail
    const link = <ButtonLink to="/account">{action}</ButtonLink>
    return <Task key="email" icon="mail" title={title} message={message({ email: pending_email })} action={link} />
  }
  if (email_verified) return null
  const { title, message, action, sent } = t.unconfirmed
  const resend = () =>
    tenantry.account.email.resendVerification({ email }).then(
      () => toast(sent({ email })),
      (error: unknown) => toast(say(error)),
    )
  const button = <Button onClick={() => void resend()}>{action}</Button>
  return <Task key="email" icon="mail" title={title} message={message({ email })} action={button} />
}

function useTransferTask() {
  const t = useTexts('home').transfer
  const { path } = useCompany()
  const { data: transfer } = useCompanyQuery(['transfer'], readTransfer)
  if (!transfer) return null
  const message = t.message({ from: transfer.from.name, to: transfer.to.name })
  const link = <ButtonLink to={path('settings')}>{t.action}</ButtonLink>
  return <Task key="transfer" icon="key" title={t.title} message={message} action={link} />
}

function useFirstMemberTask() {
  const t = useTexts('home').alone
  const { can, path } = useCompany()
  const { data } = useCompanyQuery(
    ['members', { limit: 1 }],
    (scope, options) => scope.members.page({ limit: 1 }, options),
    { enabled: can('users:create') && can('users:read') },
  )
  if (data?.total !== 1) return null
  const link = (
    <ButtonLink variant="primary" to={path('members')} search={{ add: '1' }}>
      {t.action}
    </ButtonLink>
  )
  return <Task key="alone" icon="members" title={t.title} message={t.message} action={link} />
}
