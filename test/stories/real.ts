import pg from 'pg'
import { takeSnapshot } from '../../fuzz/snapshot.ts'
import type { Message } from '../../src/features/mail/templates/render-message.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import type { Answer } from '../support/client.ts'
import { until } from '../support/until.ts'

/** The service under test; fast-check calls it the real system, beside the model. */
export interface Real {
  service: TestApp
  requiresVerification: boolean
  /** Restores the empty database. */
  clear(): Promise<void>
  /** Emails that have arrived since the last call. */
  newEmails(): Promise<Message[]>
  /** Ages all rows of the database. */
  age(minutes: number): Promise<void>
  /** Sends both requests while the account's row is locked, the second once the first waits, then releases the lock. */
  race(accountId: string, first: () => Promise<Answer>, second: () => Promise<Answer>): Promise<[Answer, Answer]>
  close(): Promise<void>
}

export async function openReal(requiresVerification: boolean): Promise<Real> {
  const service = await startTestApp({ REQUIRE_VERIFIED_EMAIL: String(requiresVerification) })
  const { db, mailbox } = service
  const restore = await takeSnapshot(db)
  const ageing = await ageingStatement(service)
  const holder = new pg.Client({ ...db.target, user: 'postgres' } as pg.ClientConfig)
  await holder.connect()
  const seen = new Set<string>()
  return {
    service,
    requiresVerification,
    async clear() {
      await restore()
      mailbox.forget()
      seen.clear()
      service.logged.length = 0
    },
    async newEmails() {
      const fresh = (await mailbox.all()).filter(({ id }) => !seen.has(id))
      for (const { id } of fresh) seen.add(id)
      return fresh
    },
    age: async (minutes) => void (await db.query(ageing.replaceAll('$1', `interval '${minutes} minutes'`))),
    async race(accountId, first, second) {
      await holder.query('begin')
      await holder.query('select from accounts where id = $1 for no key update', [accountId])
      const one = track(first())
      await waitUntilBlocked(service, 1, [one])
      const other = track(second())
      await waitUntilBlocked(service, 2, [one, other])
      await holder.query('commit')
      return [await one.answer, await other.answer]
    },
    async close() {
      await holder.end()
      await service.close()
    },
  }
}

interface TrackedRequest {
  answer: Promise<Answer>
  isDone: boolean
}

function track(answer: Promise<Answer>): TrackedRequest {
  const request: TrackedRequest = { answer, isDone: false }
  const done = () => {
    request.isDone = true
  }
  answer.then(done, done)
  return request
}

/** Waits until this many requests are finished or wait for a lock. */
async function waitUntilBlocked({ db }: TestApp, wanted: number, requests: TrackedRequest[]): Promise<void> {
  await until(async () => {
    const [row] = await db.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return (row?.waiting ?? 0) + requests.filter(({ isDone }) => isDone).length >= wanted
  })
}

/** Ages every timestamp except those of the audit log, whose chain is sealed and grants no access. */
async function ageingStatement({ db }: TestApp): Promise<string> {
  const tables = await db.query<{ name: string; columns: string[] }>(`
    select relname as name, array_agg(quote_ident(attname)) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind = 'r' and atttypid = 'timestamptz'::regtype
      and relname <> 'schema_migrations' and relname !~ '^audit'
    group by relname order by relname`)
  return [
    'begin',
    'set local session_replication_role = replica',
    ...tables.map(
      ({ name, columns }) =>
        `update ${name} set ${columns.map((column) => `${column} = ${column} - $1`).join(', ')} where true`,
    ),
    'update sessions set recent_times = array(select time - $1 from unnest(recent_times) as time)',
    'commit',
  ].join(';\n')
}
