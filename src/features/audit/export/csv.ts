import type { SealedRecord } from '../chain/hashing.ts'

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

/** A line as RFC 4180 has it. */
function csvLine(cells: unknown[]): string {
  return `${cells.map((cell) => quoted(harmless(String(cell ?? '')))).join(',')}\r\n`
}

/**
 * A spreadsheet takes for a formula, and runs, what a stranger wrote as a name: at the start of a cell, and behind
 * whatever it was told to part cells by, which may be within ours.
 */
const FORMULA = /(^|[;|\t\n\v\f\r\u0085\u2028\u2029])([\p{Zs}"]*)([=+\-@＝＋－＠])/gu

const harmless = (text: string) => text.replace(FORMULA, `$1$2'$3`).replace(/^(?=[\t\r\n])/, `'`)

const quoted = (text: string) => (/["',;|\s\u0085]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
