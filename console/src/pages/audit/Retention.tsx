import { useState } from 'react'
import { useCompanyQuery } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Can } from '../../ui/Can.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import styles from './audit.module.css'
import { RetentionDialog } from './RetentionDialog.tsx'

/** Read when someone looks: the page itself makes two calls at most. */
export function Retention() {
  const t = useTexts('audit').retention
  const [isShown, setShown] = useState(false)
  return (
    <details className={styles.proof} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>{t.title}</summary>
      {isShown && <Content />}
    </details>
  )
}

function Content() {
  const t = useTexts('audit').retention
  const [isOpen, setOpen] = useState(false)
  const { data, error, refetch } = useCompanyQuery(['audit-settings'], (scope, options) =>
    scope.audit.settings.get(options),
  )
  if (error && !data) return <ErrorState problem={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={1} />
  const { retentionDays: days } = data
  return (
    <div className={styles.retention}>
      <p>{days === null ? t.forever : t.days({ days })}</p>
      <Can permission="companies:update">
        <Button size="small" onClick={() => setOpen(true)}>
          {t.change}
        </Button>
      </Can>
      {isOpen && <RetentionDialog days={days} onClose={() => setOpen(false)} />}
    </div>
  )
}
