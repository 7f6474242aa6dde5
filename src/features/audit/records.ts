import type { AuditAction } from '../../access/actions.ts'
import type { Actor, RequestInfo } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { newId } from '../../lib/ids.ts'
import type { AuditOutcome } from './outcomes.ts'
import type { AuditRecord, ChangeValue } from './schemas.ts'
import type { Subject } from './subjects.ts'

/**
 * An actor, or a request whose account became known on the way, such as by signing in; or an operator at the command line,
 * who has a name and no account, or the service itself.
 */
export type AuditActor = Pick<RequestInfo, 'userAgent' | 'requestId'> & { ip: string | null } & Partial<
    Pick<Actor, 'accountId' | 'sessionId' | 'name' | 'email'>
  > & { kind?: 'operator' | 'service' }

/**
 * For what an account does in a company that it has not opened: the company learns nothing but what it knows, so neither from where the
 * account acts nor by which session, whose id tells when it signed in.
 */
export const unseen = ({ sessionId: _, ...actor }: AuditActor): AuditActor => ({ ...actor, ip: null, userAgent: '' })

/** Values before and after, by field; never a password, a token or a hash of one. */
export type Changes = Record<string, { from?: unknown; to?: unknown }>

type ShownChanges = AuditRecord['changes']

/**
 * Records what was done, in the transaction that does it. In the scope of a company the record belongs to the company,
 * otherwise to the account alone. Resolves to its id.
 */
export async function record(
  tx: Tx,
  actor: AuditActor,
  action: AuditAction,
  subject: Subject,
  changes: Changes = {},
): Promise<string> {
  return write(tx, actor, action, 'done', subject, changes)
}

/** Records what was refused and why: `outcome` is the problem's code. */
export async function recordRefusal(
  tx: Tx,
  actor: AuditActor,
  action: AuditAction,
  outcome: AuditOutcome,
  subject: Subject,
): Promise<void> {
  await write(tx, actor, action, outcome, subject, {})
}

async function write(
  tx: Tx,
  actor: AuditActor,
  action: AuditAction,
  outcome: AuditOutcome,
  subject: Subject,
  changes: Changes,
): Promise<string> {
  const id = newId()
  const values = [
    id,
    action,
    outcome,
    actor.accountId ?? null,
    actor.name ?? '',
    actor.email ?? '',
    subject.type,
    subject.id,
    subject.label,
    JSON.stringify(storedChanges(changes)),
    actor.ip,
    actor.userAgent,
    actor.requestId,
    actor.kind ?? 'person',
    actor.sessionId ? 'session' : null,
    actor.sessionId ?? null,
  ]
  await insertRecord(tx, ...values)
  return id
}

/**
 * Constant, because every change writes a record and building the statement would take longer than sending it. The version
 * leaves the record to sealers that know it.
 */
const insertRecord = statement<never, unknown[]>(`
  insert into audit_records (id, company_id, v, action, outcome, actor_id, actor_name, actor_email,
    target_type, target_id, target_label, changes, ip, user_agent, request_id, actor_kind, via_type, via_id)
  values ($1, current_company(), 2, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`)

/** Approximate size of a record's changes as JSON: records are read and hashed many at a time. */
const CHANGES_BYTES_MAX = 8000

/** As shown; when that is too long, each value is shortened to an equal share of the limit. */
function storedChanges(changes: Changes): ShownChanges {
  const whole = shownChanges(changes)
  if (bytesOf(whole) <= CHANGES_BYTES_MAX) return whole
  const values = Object.values(whole).flatMap((sides) => Object.values(sides))
  const share = Math.floor(CHANGES_BYTES_MAX / values.length)
  const shortenedSides = (sides: object) =>
    Object.fromEntries(Object.entries(sides).map(([side, value]) => [side, shortened(value, share)]))
  return Object.fromEntries(Object.entries(whole).map(([field, sides]) => [field, shortenedSides(sides)]))
}

function shortened(value: ChangeValue, bytesMax: number): ChangeValue {
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

/** Changes as they are shown: in one form and bounded, even when a record was tampered with. */
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

function shown(value: unknown): ChangeValue {
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
