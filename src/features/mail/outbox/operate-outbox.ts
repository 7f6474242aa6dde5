import { sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
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

/**
 * Sends failed emails again, and pending ones now instead of after their pause. An email whose link, code or password no longer works
 * stays failed, and one that a worker has claimed is left to it. Without ids: all that have failed.
 */
export async function retryEmails(database: Database, ids: string[] | undefined): Promise<RetriedEmail[]> {
  return database.write(asWorker, async (tx) => {
    const { rows } = await sql<{ id: string; reason: string | null }>`
      select id, case
        when status = 'sent' then 'it was sent'
        when claimed_until > now() then 'it is being sent'
        when ${HAS_DEAD_SECRET} then 'its link, code or password no longer works'
        end as reason
      from emails where ${ids ? sql`id = any (${ids}::uuid[])` : sql`status = 'failed'`}
      order by id for update`.execute(tx)
    const retried = rows.filter(({ reason }) => reason === null).map(({ id }) => id)
    await sql`
      update emails set status = 'pending', finished_at = null, attempts = 0, next_attempt_at = now(),
        expires_at = greatest(expires_at, now() + make_interval(hours => ${RETRY_HOURS}))
      where id = any (${retried}::uuid[])`.execute(tx)
    const unknown = (ids ?? []).filter((id) => !rows.some((row) => row.id === id))
    return [...rows, ...unknown.map((id) => ({ id, reason: 'there is no such email' }))].map(({ id, reason }) => ({
      id,
      isRetried: reason === null,
      reason,
    }))
  })
}
