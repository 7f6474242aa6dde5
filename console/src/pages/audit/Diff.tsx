import type { AuditRecord } from '@tenantry/client'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import styles from './audit.module.css'
import { type AuditTexts, FIELDS, known, VALUES } from './catalogue.ts'

type Changes = AuditRecord['changes']
type Value = Changes[string]['to']

/** Values before and after. Of lists only what came and went is set apart. */
export function Diff({ changes }: { changes: Changes }) {
  const t = useTexts('audit')
  const fields = Object.entries(changes)
  if (fields.length === 0) return null
  return (
    <table className={styles.diff} aria-label={t.diff.label}>
      <thead>
        <tr>
          <th scope="col">{t.diff.field}</th>
          <th scope="col">{t.diff.before}</th>
          <th scope="col">{t.diff.after}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(([field, { from, to }]) => (
          <tr key={field}>
            <th scope="row">{known(FIELDS, t.fields, field) ?? field}</th>
            <td className={styles.before} data-label={t.diff.before}>
              <Side value={from} other={to} />
            </td>
            <td className={styles.after} data-label={t.diff.after}>
              <Side value={to} other={from} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Side({ value, other }: { value: Value; other: Value }) {
  const t = useTexts('audit')
  const { number } = useFormat()
  if (value === undefined) return <span aria-hidden="true">–</span>
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0))
    return <span className={styles.nothing}>{t.diff.empty}</span>
  if (!Array.isArray(value)) return <span className={styles.value}>{shown(t, value, number)}</span>
  const kept = new Set(Array.isArray(other) ? other : [])
  return (
    <ul className={styles.values}>
      {value.map((each) => (
        <li key={each} className={kept.has(each) ? styles.kept : styles.value}>
          {each}
        </li>
      ))}
    </ul>
  )
}

function shown(t: AuditTexts, value: string | number | boolean, number: (value: number) => string): string {
  if (typeof value === 'number') return number(value)
  if (typeof value === 'boolean') return value ? t.diff.yes : t.diff.no
  return known(VALUES, t.values, value) ?? value
}
