import type { Database } from '../database/open.ts'
import { asObserver } from '../database/scopes.ts'
import { secondsAhead } from '../lib/clock.ts'

/** What waits in the database for workers. Ages are in seconds, 0 when nothing waits. */
export interface Backlog {
  emails: number
  oldestEmail: number
  overdueEmail: number
  records: number
  oldestRecord: number
  /** By how many seconds this machine's clock is ahead of the database's. */
  clockAhead: number
}

/** Counting stops here, so that a scrape stays cheap however much waits. */
const COUNTED_MAX = 10_000
const FRESH_MS = 5000
/** A scrape goes without these numbers rather than wait longer. */
const WAIT_MS = 1000

/** Both counts read an index in its order, and nothing else. */
const STATEMENT = `select emails.waiting as emails, audit.records,
    coalesce(extract(epoch from now() - emails.created), 0)::float8 as "oldestEmail",
    greatest(0, extract(epoch from now() - emails.due))::float8 as "overdueEmail",
    coalesce(extract(epoch from now() - audit.oldest), 0)::float8 as "oldestRecord",
    (extract(epoch from clock_timestamp()) * 1000)::float8 as clock
  from (select count(*) as waiting, min(created_at) as created, min(next_attempt_at) as due from (
      select created_at, next_attempt_at from emails where status = 'pending' order by next_attempt_at limit $1::integer
    ) pending) emails, audit_backlog($1::integer) audit`

/**
 * Reads the backlog by one statement, at most every few seconds however many scrapes there are. Undefined: the database
 * did not answer in time.
 */
export function backlogReader(database: Database): () => Promise<Backlog | undefined> {
  let last: { result: Promise<Backlog | undefined>; at: number } | undefined
  return () => {
    const now = performance.now()
    if (!last || now - last.at > FRESH_MS) last = { result: read(database), at: now }
    return last.result
  }
}

async function read(database: Database): Promise<Backlog | undefined> {
  const timeout = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => timeout.resolve(undefined), WAIT_MS)
  const found = query(database).catch(() => undefined)
  return Promise.race([found, timeout.promise]).finally(() => clearTimeout(timer))
}

async function query(database: Database): Promise<Backlog | undefined> {
  const askedAt = Date.now()
  const statement = { sql: STATEMENT, parameters: [COUNTED_MAX] }
  const [row] = await database.query<Omit<Backlog, 'clockAhead'> & { clock: number }>(asObserver, statement)
  return row && { ...row, clockAhead: secondsAhead(row.clock, askedAt, Date.now()) }
}
