import { sql } from 'kysely'
import type { AuditAction } from '../../access/actions.ts'
import type { Actor, RequestInfo } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { newId } from '../../lib/ids.ts'
import type { AuditOutcome } from './outcomes.ts'
import type { Subject } from './subjects.ts'

/** Who did it: an actor, or a caller who became known on the way, such as by signing in. */
export type AuditActor = Omit<RequestInfo, 'ip'> & { ip: string | null } & Partial<
    Pick<Actor, 'accountId' | 'name' | 'email'>
  >

/** Values before and after, by field; never a password, a token or their hashes. */
export type Changes = Record<string, { from?: unknown; to?: unknown }>

/** What a value is shown as. */
export type Shown = string | number | boolean | null | string[]
export type ShownChanges = Record<string, { from?: Shown; to?: Shown }>

/**
 * Writes what was done into the audit, in the transaction that does it. Within a company's transaction the record is the
 * company's, outside it is the account's own.
 */
export async function record(
  tx: Tx,
  doer: AuditActor,
  action: AuditAction,
  subject: Subject,
  changes: Changes = {},
): Promise<void> {
  await write(tx, doer, action, 'done', subject, changes)
}

/** Writes that something was refused, and why: `outcome` is the problem's code. */
export async function recordRefusal(
  tx: Tx,
  doer: AuditActor,
  action: AuditAction,
  outcome: AuditOutcome,
  subject: Subject,
): Promise<void> {
  await write(tx, doer, action, outcome, subject, {})
}

async function write(
  tx: Tx,
  doer: AuditActor,
  action: AuditAction,
  outcome: AuditOutcome,
  subject: Subject,
  changes: Changes,
) {
  await tx
    .insertInto('audit_records')
    .values({
      id: newId(),
      company_id: sql`current_company()`,
      action,
      outcome,
      actor_id: doer.accountId ?? null,
      actor_name: doer.name ?? '',
      actor_email: doer.email ?? '',
      target_type: subject.type,
      target_id: subject.id,
      target_label: subject.label,
      changes: JSON.stringify(keptChanges(changes)),
      ip: doer.ip,
      user_agent: doer.userAgent,
      request_id: doer.requestId,
    })
    .execute()
}

/** About what the changes of a record take up at most, as JSON: records are read and hashed many at a time. */
const CHANGES_BYTES_MAX = 8000

/** As shown, and where that is too long, each value shortened to an equal share of what there is room for. */
function keptChanges(changes: Changes): ShownChanges {
  const whole = shownChanges(changes)
  if (bytesOf(whole) <= CHANGES_BYTES_MAX) return whole
  const values = Object.values(whole).flatMap((sides) => Object.values(sides))
  const share = Math.floor(CHANGES_BYTES_MAX / values.length)
  const shortenedSides = (sides: object) =>
    Object.fromEntries(Object.entries(sides).map(([side, value]) => [side, shortened(value, share)]))
  return Object.fromEntries(Object.entries(whole).map(([field, sides]) => [field, shortenedSides(sides)]))
}

function shortened(value: Shown, bytesMax: number): Shown {
  if (bytesOf(value) <= bytesMax) return value
  if (Array.isArray(value)) {
    const kept = firstThatFit(value, bytesMax, '"",'.length)
    return [...kept, `… and ${value.length - kept.length} more`]
  }
  return `${firstThatFit([...String(value)], bytesMax, 0).join('')}…`
}

function firstThatFit(texts: string[], bytesMax: number, bytesAround: number): string[] {
  let bytes = 0
  const end = texts.findIndex((text) => {
    bytes += bytesOf(text) - '""'.length + bytesAround
    return bytes > bytesMax
  })
  return end < 0 ? texts : texts.slice(0, end)
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

const VALUE_LENGTH_MAX = 4096
const ITEMS_MAX = 500

/** In the form in which changes are shown, and bounded; whatever a record holds, even if it was tampered with. */
export function shownChanges(changes: unknown): ShownChanges {
  const sides = (change: unknown) =>
    isObject(change)
      ? { ...('from' in change && { from: shown(change.from) }), ...('to' in change && { to: shown(change.to) }) }
      : { to: shown(change) }
  return isObject(changes)
    ? Object.fromEntries(Object.entries(changes).map(([field, change]) => [field, sides(change)]))
    : { '': { to: shown(changes) } }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function shown(value: unknown): Shown {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return bounded(value)
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map(asText)
  return asText(value)
}

const asText = (value: unknown) => bounded(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
// By characters, so that none is cut in half.
const bounded = (text: string) =>
  text.length > VALUE_LENGTH_MAX ? `${[...text].slice(0, VALUE_LENGTH_MAX).join('')}…` : text
