import type { AuditRecord } from '@tenantry/client'
import { useState } from 'react'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './audit.module.css'
import { known } from './catalogue.ts'
import { Details } from './Details.tsx'
import { Sentence } from './Sentence.tsx'

/** One line; what else is known of it opens below. */
export function RecordItem({ record }: { record: AuditRecord }) {
  const t = useTexts('audit')
  const { moment, time } = useFormat()
  // Rendered when it is opened for the first time: a page has hundreds.
  const [isOpen, setOpen] = useState(false)
  const { outcome, created_at } = record
  const fields = Object.keys(record.changes).map((field) => known(t.fields, field) ?? field)
  return (
    <li>
      <details className={styles.record} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className={styles.summary}>
          <Icon name="chevronRight" />
          <span className={styles.sentence}>
            <span>
              <Sentence record={record} />
            </span>
            {fields.length > 0 && <span className={styles.fields}>{fields.join(' · ')}</span>}
          </span>
          {outcome !== 'done' && (
            <span className={styles.badge}>
              <Badge tone="warning">{t.refused({ reason: known(t.outcomes, outcome) ?? outcome })}</Badge>
            </span>
          )}
          <time className={styles.time} dateTime={created_at} title={moment(created_at)}>
            {time(created_at)}
          </time>
        </summary>
        {isOpen && <Details record={record} />}
      </details>
    </li>
  )
}
