import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { MAX_UUID, NIL_UUID } from '../../../lib/ids.ts'
import { HAS_DEAD_SECRET } from './outbox.ts'

/** An email of the outbox as operators see it: without its contents, which may give access to an account. */
export interface EmailSummary {
  id: string
  kind: string
  recipient: string
  status: EmailStatus
  attempts: number
  lastError: string | null
  createdAt: string
  nextAttemptAt: string
  expiresAt: string
}

export const emailStatuses = ['pending', 'sent', 'failed'] as const
export type EmailStatus = (typeof emailStatuses)[number]

interface EmailFilter {
  status?: EmailStatus | undefined
  recipient?: string | undefined
}

/** The newest emails first. */
export async function listEmails(
  database: Database,
  { status, recipient }: EmailFilter,
  limit: number,
): Promise<EmailSummary[]> {
  return database
    .autocommit(asWorker)
    .selectFrom('emails')
    .select(['id', 'kind', 'recipient_email as recipient', 'status', 'attempts', 'last_error as lastError'])
    .select(['created_at as createdAt', 'next_attempt_at as nextAttemptAt', 'expires_at as expiresAt'])
    .$if(status !== undefined, (query) => query.where('status', '=', status as EmailStatus))
    .$if(recipient !== undefined, (query) => query.where('recipient_email', '=', recipient as string))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export interface RetriedEmail {
  id: string
  isRetried: boolean
  /** Why it is not retried. */
  reason: string | null
}

const RETRY_HOURS = 24

/** Of all emails, of which most were sent, so that no statement looks at more of them than it has time for. */
const LOOKED_AT_ONCE = 5000

/**
 * Sends failed emails again, and pending ones now instead of after their pause. An email whose link, code or password no longer works
 * stays failed, and one that a worker has claimed is left to it. Without ids: all that have failed, in short transactions; where
 * that was stopped, doing it again does the rest.
 */
export async function retryEmails(
  database: Database,
  ids: string[] | undefined,
  lookedAtOnce = LOOKED_AT_ONCE,
): Promise<RetriedEmail[]> {
  if (ids) return retryNamed(database, ids)
  const emails: RetriedEmail[] = []
  for (let after = NIL_UUID; after !== MAX_UUID; ) {
    const until = await findEnd(database, after, lookedAtOnce)
    emails.push(...(await retryThose(database, sql`status = 'failed' and id > ${after} and id <= ${until}`)))
    after = until
  }
  return emails
}

async function retryNamed(database: Database, ids: string[]): Promise<RetriedEmail[]> {
  const found = await retryThose(database, sql`id = any (${ids}::uuid[])`)
  const unknown = ids.filter((id) => !found.some((email) => email.id === id))
  return [...found, ...unknown.map((id) => ({ id, isRetried: false, reason: 'there is no such email' }))]
}

async function findEnd(database: Database, after: string, lookedAtOnce: number): Promise<string> {
  const end = await database
    .autocommit(asWorker)
    .selectFrom('emails')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .offset(lookedAtOnce - 1)
    .limit(sql.lit(1))
    .executeTakeFirst()
  return end?.id ?? MAX_UUID
}

function retryThose(database: Database, areWanted: RawBuilder<unknown>): Promise<RetriedEmail[]> {
  return database.write(asWorker, async (tx) => {
    const { rows } = await sql<{ id: string; reason: string | null }>`
      select id, case
        when status = 'sent' then 'it was sent'
        when claimed_until > now() then 'it is being sent'
        when ${HAS_DEAD_SECRET} then 'its link, code or password no longer works'
        end as reason
      from emails where ${areWanted}
      order by id for update`.execute(tx)
    const retried = rows.filter(({ reason }) => reason === null).map(({ id }) => id)
    await sql`
      update emails set status = 'pending', finished_at = null, attempts = 0, next_attempt_at = now(),
        expires_at = greatest(expires_at, now() + make_interval(hours => ${RETRY_HOURS}))
      where id = any (${retried}::uuid[])`.execute(tx)
    return rows.map(({ id, reason }) => ({ id, isRetried: reason === null, reason }))
  })
}
