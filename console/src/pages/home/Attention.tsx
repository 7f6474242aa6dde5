import type { ReactNode } from 'react'
import { type CompanyScope, tenantry, useSignedIn } from '../../api/tenantry.ts'
import { readTransfer } from '../../api/transfer.ts'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useSayProblem } from '../../api/use-say-problem.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { toast } from '../../ui/toasts.ts'
import { useOwnInvitations } from '../invitation/own.ts'
import styles from './home.module.css'

/** What is asked for this page alone; a change made here is seen at once. */
const KEPT_MS = 5 * 60_000

export function Attention() {
  const t = useTexts('home')
  const { isKnown, isAlone } = useIsAlone()
  const tasks = [
    useSecondFactorTask(),
    useEmailTask(),
    useTransferTask(isKnown && !isAlone),
    useInvitationTask(),
    useRequestsTask(),
    useFirstMemberTask(isAlone),
  ].filter(Boolean)
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

/** Before the date from which the company's policy keeps out who has none. */
function useSecondFactorTask() {
  const t = useTexts('home').secondFactor
  const { day } = useFormat()
  const { id, summary } = useCompany()
  const upcoming = useSignedIn().accessFrom[id]
  if (upcoming?.code !== 'second_factor_required_by_company') return null
  const message = t.message({ day: day(upcoming.from), company: summary?.name ?? '' })
  const link = <ButtonLink to="/account/security">{t.action}</ButtonLink>
  return <Task key="second-factor" icon="key" title={t.title} message={message} action={link} />
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

function useTransferTask(enabled: boolean) {
  const t = useTexts('home').transfer
  const { path } = useCompany()
  const { data: transfer } = useCompanyQuery(['transfer'], readTransfer, { enabled })
  if (!transfer) return null
  const message = t.message({ from: transfer.from.name, to: transfer.to.name })
  const link = <ButtonLink to={path('settings')}>{t.action}</ButtonLink>
  return <Task key="transfer" icon="key" title={t.title} message={message} action={link} />
}

/** One call, for those who may add members; who is alone has no transfer to look for. */
function useIsAlone() {
  const { can } = useCompany()
  const isAsked = can('users:create') && can('users:read')
  const { data, isFetched } = useCompanyQuery(
    ['members', { limit: 1 }],
    (scope, options) => scope.members.page({ limit: 1 }, options),
    { enabled: isAsked, staleTime: KEPT_MS },
  )
  return { isKnown: !isAsked || isFetched, isAlone: data?.total === 1 }
}

/** Read for the account and not for this page: one call in some minutes, whatever company is shown. */
function useInvitationTask() {
  const { own: t } = useTexts('invitation')
  const { email_verified } = useSignedIn().account
  const { data = [] } = useOwnInvitations(email_verified)
  if (data.length === 0) return null
  const message = data.map(({ company }) => company.name).join(', ')
  const link = <ButtonLink to="/companies/join">{t.view}</ButtonLink>
  return <Task key="invitations" icon="mail" title={t.task({ count: data.length })} message={message} action={link} />
}

/** For those who may decide on them. Read again after a decision, and else after some minutes. */
function useRequestsTask() {
  const t = useTexts('home').requests
  const { can, path } = useCompany()
  const { data } = useCompanyQuery(['join-requests', 'waiting'], readWaiting, {
    enabled: can('users:read') && can('users:create'),
    staleTime: KEPT_MS,
  })
  const [first] = data?.items ?? []
  if (!first) return null
  const message = t.message({ name: first.account.name, others: (data?.total ?? 1) - 1 })
  const link = <ButtonLink to={path('members/requests')}>{t.action}</ButtonLink>
  return <Task key="requests" icon="members" title={t.title} message={message} action={link} />
}

const readWaiting = (scope: CompanyScope, options: { signal: AbortSignal }) =>
  scope.joinRequests.page({ limit: 1, sortBy: 'created_at', sortDir: 'asc' }, options)

function useFirstMemberTask(isAlone: boolean) {
  const t = useTexts('home').alone
  const { path } = useCompany()
  if (!isAlone) return null
  const link = (
    <ButtonLink variant="primary" to={path('members/invitations')} search={{ invite: '1' }}>
      {t.action}
    </ButtonLink>
  )
  return <Task key="alone" icon="members" title={t.title} message={t.message} action={link} />
}
