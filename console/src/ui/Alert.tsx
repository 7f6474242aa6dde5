import type { ReactNode } from 'react'
import { isProblem } from '../api/problems.ts'
import { useSayProblem } from '../api/use-say-problem.ts'
import { useTexts } from '../texts/use-texts.ts'
import styles from './Alert.module.css'
import { classes } from './classes.ts'
import { Icon, type IconName } from './Icon.tsx'

type Tone = 'info' | 'success' | 'warning' | 'danger'
const icons: Record<Tone, IconName> = { info: 'info', success: 'check', warning: 'warning', danger: 'warning' }

/** Something that stays on the page. A success or failure is read out when it appears. */
export function Alert({ tone = 'info', title, children }: { tone?: Tone; title?: ReactNode; children?: ReactNode }) {
  return (
    <div className={classes(styles.alert, styles[tone])} role={tone === 'danger' ? 'alert' : 'status'}>
      <Icon name={icons[tone]} size={18} />
      <div className={styles.body}>
        {title && <p className={styles.title}>{title}</p>}
        {children}
      </div>
    </div>
  )
}

/** What was refused and why, with what support finds the request by where it was no answer that people can mend. */
export function ProblemAlert({ problem }: { problem: unknown }) {
  const { say } = useSayProblem()
  return (
    <Alert tone="danger">
      <p>{say(problem)}</p>
      <RequestId problem={problem} />
    </Alert>
  )
}

export function RequestId({ problem }: { problem: unknown }) {
  const t = useTexts('common')
  if (!isProblem(problem) || !problem.requestId || (problem.status < 500 && problem.code !== 'unexpected_response'))
    return null
  return (
    <p className={styles.request}>
      {t.requestId}: <code>{problem.requestId}</code>
    </p>
  )
}
