import type { PolicyImpact } from '@tenantry/client'
import type { ReactNode } from 'react'
import { prove } from '../../api/prove.ts'
import { useSignedIn } from '../../api/tenantry.ts'
import { useCompany } from '../../api/use-company.ts'
import { useSayProblem } from '../../api/use-say-problem.ts'
import { Enroll } from '../../shell/Enroll.tsx'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Identity } from '../../ui/Avatar.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toasts.ts'
import { OWNER_ROLE } from '../members/queries.ts'
import styles from './policy.module.css'
import { useLackText } from './use-lack-text.ts'

interface ReviewProps {
  impact: PolicyImpact
  /** Until this day members without a second factor can enter: `2031-01-03`, or empty. */
  from: string
  /** False: someone else was faster, and nothing was saved. */
  onSave: () => Promise<boolean>
  /** Tries the same changes once more. */
  onRetry: () => void
  onClose: () => void
}

/** Who would be locked out, by the rule that will decide it, before anything is saved. */
export function ReviewDialog({ impact, from, onSave, onRetry, onClose }: ReviewProps) {
  const { review: t, closed } = useTexts('policy')
  const lackText = useLackText()
  const { list, ago, day } = useFormat()
  const isOwner = useCompany().roles.includes(OWNER_ROLE)
  const { shutNow, cannotOpen, caller, owners } = impact
  const isHarmless = shutNow.total === 0 && (cannotOpen.total === 0 || from !== '')
  const save = async () => {
    if (await onSave()) toast(t.saved)
  }
  return (
    <ConfirmDialog
      open
      wide
      onClose={onClose}
      title={t.title}
      intro={t.intro}
      action={isHarmless ? t.save : t.saveAnyway}
      variant={isHarmless ? 'primary' : 'danger'}
      unavailable={caller !== 'open'}
      onConfirm={save}
    >
      {caller !== 'open' && <ShutOut by={caller} onRetry={onRetry} />}
      {isHarmless && caller === 'open' && <Alert tone="success">{t.nobody}</Alert>}
      <People title={t.now} hint={t.nowHint} {...shutNow}>
        {shutNow.sample?.map(({ id, name, closedBy, last_ip, last_active_at }) => (
          <Person key={id} name={name} detail={closed[closedBy]} seen={`${last_ip} · ${ago(last_active_at)}`} />
        ))}
      </People>
      <People
        title={t.lacking}
        hint={from ? t.lackingUntil({ day: day(`${from}T00:00`) }) : t.lackingHint}
        {...cannotOpen}
      >
        {cannotOpen.sample?.map(({ id, name, lacks: missing }) => (
          <Person key={id} name={name} detail={list(missing.map(lackText))} />
        ))}
      </People>
      {owners.shutNow > 0 && (
        <p>
          {t.owners({ total: owners.total, shut: owners.shutNow })} {!isOwner && t.ownersOnly}
        </p>
      )}
    </ConfirmDialog>
  )
}

/** Why the person who sets the policy would be kept out by it, and what they can do about that. */
function ShutOut({ by, onRetry }: { by: Exclude<PolicyImpact['caller'], 'open'>; onRetry: () => void }) {
  const { review: t } = useTexts('policy')
  const { account } = useSignedIn()
  const { say } = useSayProblem()
  const wantsFactor = by === 'second_factor_required_by_company'
  const isUnproved = wantsFactor && account.second_factor
  const confirm = () =>
    prove().then(
      (isProved) => isProved && onRetry(),
      (error: unknown) => toast(say(error)),
    )
  return (
    <Alert tone="danger" title={t.self}>
      <p>{isUnproved ? t.selfReason.unproved : t.selfReason[by]}</p>
      {isUnproved || by === 'reauthentication_required' ? (
        <Button onClick={() => void confirm()}>{t.prove}</Button>
      ) : wantsFactor ? (
        // Here, because what was set in the form is not saved yet.
        <div className={styles.ways}>
          <Enroll onDone={onRetry} />
        </div>
      ) : (
        by !== 'network_not_allowed' && <ButtonLink to="/account/security">{t.account}</ButtonLink>
      )}
    </Alert>
  )
}

interface PeopleProps {
  title: string
  hint: string
  total: number
  /** Without `users:read` there are only numbers. */
  sample?: unknown[] | undefined
  children: ReactNode
}

function People({ title, hint, total, sample = [], children }: PeopleProps) {
  const { review: t } = useTexts('policy')
  const { number } = useFormat()
  const rest = total - sample.length
  if (total === 0) return null
  return (
    <section className={styles.people}>
      <h3>
        {title} ({number(total)})
      </h3>
      <p className={styles.quiet}>{hint}</p>
      {sample.length > 0 && (
        // A list that scrolls is reached by keyboard as well.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls.
        <ul className={styles.list} tabIndex={0} aria-label={title}>
          {children}
        </ul>
      )}
      {sample.length > 0 && rest > 0 && <p className={styles.quiet}>{t.more({ count: rest })}</p>}
    </section>
  )
}

interface PersonProps {
  name: string
  detail: string
  /** From where and when, as far as that is what keeps someone out. */
  seen?: string
}

const Person = ({ name, detail, seen }: PersonProps) => (
  <li className={styles.person}>
    <Identity name={name} detail={detail} />
    {seen && <span className={styles.quiet}>{seen}</span>}
  </li>
)
