import { useState } from 'react'
import { useCompanyQuery } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Can } from '../../ui/Can.tsx'
import styles from './audit.module.css'
import { RetentionDialog } from './RetentionDialog.tsx'

export function Retention() {
  const t = useTexts('audit').retention
  const [isOpen, setOpen] = useState(false)
  const { data } = useCompanyQuery(['audit-settings'], (scope, options) => scope.audit.settings.get(options))
  if (!data) return null
  const { retentionDays: days } = data
  return (
    <div className={styles.retention}>
      <p>{days === null ? t.forever : t.days({ days })}</p>
      <Can permission="companies:update">
        <Button variant="quiet" size="small" onClick={() => setOpen(true)}>
          {t.change}
        </Button>
      </Can>
      {isOpen && <RetentionDialog days={days} onClose={() => setOpen(false)} />}
    </div>
  )
}
