import type { SealedRecord } from '../chain/sealed-record.ts'

const columns: Record<string, (record: SealedRecord) => unknown> = {
  seq: ({ seq }) => seq,
  id: ({ id }) => id,
  created_at: ({ created_at }) => created_at,
  action: ({ action }) => action,
  outcome: ({ outcome }) => outcome,
  actor_id: ({ actor }) => actor.id,
  actor_name: ({ actor }) => actor.name,
  actor_email: ({ actor }) => actor.email,
  target_type: ({ target }) => target.type,
  target_id: ({ target }) => target.id,
  target_label: ({ target }) => target.label,
  changes: ({ changes }) => JSON.stringify(changes),
  ip: ({ ip }) => ip,
  user_agent: ({ user_agent }) => user_agent,
  request_id: ({ request_id }) => request_id,
  hash: ({ hash }) => hash,
}

export const csvHead = () => csvLine(Object.keys(columns))

export function csvLineOf(record: SealedRecord): string {
  return csvLine(Object.values(columns).map((cell) => cell(record)))
}

/** As in RFC 4180. */
function csvLine(cells: unknown[]): string {
  return `${cells.map((cell) => quoted(withoutFormula(String(cell ?? '')))).join(',')}\r\n`
}

/**
 * A spreadsheet runs a formula, which an attacker may have entered as a name. It looks for one at the start of a cell and
 * after whatever it takes for a separator, which may be in the middle of our cell.
 */
const FORMULA = /(^|[;|\t\n\v\f\r\u0085\u2028\u2029])([\p{Zs}"]*)([=+\-@＝＋－＠])/gu

const withoutFormula = (text: string) => text.replace(FORMULA, `$1$2'$3`).replace(/^(?=[\t\r\n])/, `'`)

const quoted = (text: string) => (/["',;|\s\u0085]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
