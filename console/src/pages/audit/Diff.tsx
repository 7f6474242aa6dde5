import type { AuditRecord } from '@tenantry/client'
import { usePermissionText } from '../../api/use-permission-text.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import styles from './audit.module.css'
import { type AuditTexts, known } from './catalogue.ts'
import { useNames } from './names.ts'

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
            <th scope="row">{known(t.fields, field) ?? field}</th>
            <td className={styles.before} data-label={t.diff.before}>
              <Side field={field} value={from} other={to} />
            </td>
            <td className={styles.after} data-label={t.diff.after}>
              <Side field={field} value={to} other={from} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Side({ field, value, other }: { field: string; value: Value; other: Value }) {
  const t = useTexts('audit')
  const { number } = useFormat()
  const { ofEmail } = useNames()
  const permissionText = usePermissionText()
  const wordsOf = (text: string) => {
    if (PERMISSIONS.includes(field)) return permissionText(text)
    if (PEOPLE.includes(field)) return ofEmail(text)
    return (WORDS.includes(field) ? known(t.values, text) : undefined) ?? text
  }
  if (value === undefined) return <span aria-hidden="true">–</span>
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0))
    return <span className={styles.nothing}>{t.diff.empty}</span>
  if (!Array.isArray(value)) return <span className={styles.value}>{shown(t, value, { number, wordsOf })}</span>
  const kept = new Set(Array.isArray(other) ? other : [])
  return (
    <ul className={styles.values}>
      {value.map((each) => (
        <li key={each} className={kept.has(each) ? styles.kept : styles.value}>
          {wordsOf(each)}
        </li>
      ))}
    </ul>
  )
}

interface Say {
  number: (value: number) => string
  wordsOf: (text: string) => string
}

function shown(t: AuditTexts, value: string | number | boolean, { number, wordsOf }: Say): string {
  if (typeof value === 'number') return number(value)
  if (typeof value === 'boolean') return value ? t.diff.yes : t.diff.no
  return wordsOf(value)
}

/** Fields whose values are permissions, those that name people by their address, and those with words of the service. */
const PERMISSIONS = ['permissions', 'permissions_added', 'permissions_removed']
const PEOPLE = ['owner']
const WORDS = ['status', 'email', 'join_policy', 'required', 'appliesTo']
