import { sql } from 'kysely'
import type { Actor, Caller } from '../../callers.ts'
import type { Tx } from '../../database/open.ts'
import { newId } from '../../lib/ids.ts'

/** What an action was done to. */
export interface Subject {
  type: 'account' | 'session' | 'company' | 'member' | 'role' | 'branch' | 'route'
  id: string
  label: string
}

/** Who did it: an actor, or a caller who became known on the way, such as by signing in. */
export type Doer = Caller & Partial<Pick<Actor, 'accountId' | 'name' | 'email'>>

/** Values before and after, by field; never a password, a token or their hashes. */
export type Changes = Record<string, { from?: unknown; to?: unknown }>

/**
 * Writes what was done into the audit, in the transaction that does it. Within a company's transaction the record is the
 * company's, outside it is the account's own.
 */
export async function record(
  tx: Tx,
  doer: Doer,
  action: string,
  subject: Subject,
  changes: Changes = {},
): Promise<void> {
  await write(tx, doer, action, 'done', subject, changes)
}

/** Writes that something was refused, and why: `outcome` is the problem's code. */
export async function recordRefusal(
  tx: Tx,
  doer: Doer,
  action: string,
  outcome: string,
  subject: Subject,
): Promise<void> {
  await write(tx, doer, action, outcome, subject, {})
}

async function write(tx: Tx, doer: Doer, action: string, outcome: string, subject: Subject, changes: Changes) {
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
      changes: JSON.stringify(changes),
      ip: doer.ip,
      user_agent: doer.userAgent,
      request_id: doer.requestId,
    })
    .execute()
}
