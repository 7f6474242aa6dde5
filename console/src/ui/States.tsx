import type { ReactNode } from 'react'
import { isProblem, secondsToWait } from '../api/problems.ts'
import { useCountdown } from '../api/use-countdown.ts'
import { useSayProblem } from '../api/use-say-problem.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'
import { Icon, type IconName } from './Icon.tsx'
import styles from './States.module.css'
import { useWaitText } from './use-wait-text.ts'

interface StateProps {
  icon?: IconName
  title: string
  /** What it means, and what happens next. */
  message?: ReactNode
  /** The one way on. */
  action?: ReactNode
}

/** Where a list has nothing to show. `boxed`: in the place of the table. */
export function EmptyState({ icon = 'search', title, message, action, boxed }: StateProps & { boxed?: boolean }) {
  return (
    <div className={classes(styles.state, boxed && styles.boxed)}>
      <div className={styles.picture}>
        <Icon name={icon} size={22} />
      </div>
      <p className={styles.title}>{title}</p>
      {message && <p className={styles.message}>{message}</p>}
      {action && <div className={styles.actions}>{action}</div>}
    </div>
  )
}

/** Where something could not be loaded. Its request id is what support asks for. */
export function ErrorState({ problem, onRetry }: { problem: unknown; onRetry?: () => void }) {
  const t = useTexts('common')
  const { say } = useSayProblem()
  const waitText = useWaitText()
  const seconds = useCountdown(secondsToWait(problem), problem)
  return (
    <div className={classes(styles.state, styles.boxed)} role="alert">
      <div className={styles.picture}>
        <Icon name="warning" size={22} />
      </div>
      <p className={styles.title}>{t.trouble}</p>
      <p className={styles.message}>{say(problem)}</p>
      {isProblem(problem) && problem.requestId && (
        <p className={styles.request}>
          {t.requestId}: <code>{problem.requestId}</code>
        </p>
      )}
      {onRetry && (
        <div className={styles.actions}>
          <Button unavailable={seconds > 0} onClick={onRetry}>
            {seconds > 0 ? waitText(seconds) : t.retry}
          </Button>
        </div>
      )}
    </div>
  )
}

/** In the shape of what is on its way; it waits a moment, so that quick answers do not flash. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const t = useTexts('common')
  return (
    <div className={styles.skeleton} role="status" aria-label={t.loading}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: They are all the same.
        <div key={index} className={styles.line} />
      ))}
    </div>
  )
}
