import type { Outcome } from './fault.ts'
import type { Journal, Write } from './journal.ts'
import type { ReceivedEmail, SmtpReceiver } from './smtp-receiver.ts'
import type { Traffic } from './traffic.ts'
import { until } from './until.ts'

/** Runs a statement as the superuser of the database in question. */
export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>

interface Found {
  action: string
  mark: string
}

/** Ends the writing, and compares what was acknowledged with what is in the database and what the receiver has got. */
export async function compareAfter(
  traffic: Traffic,
  query: Query,
  { received }: SmtpReceiver,
): Promise<Omit<Outcome, 'healedMs'>> {
  await traffic.stop()
  await settle(traffic, query)
  return compare(traffic.journal, query, received)
}

/**
 * After the fault: time passes by ageing rows, so that keys of requests without an answer and emails that wait for their
 * next attempt are due; then every request is answered and every email delivered.
 */
async function settle(traffic: Traffic, query: Query): Promise<void> {
  await query('update idempotent_requests set claimed_until = now() where status is null')
  await traffic.settle()
  await until(async () => {
    await query(`update emails set next_attempt_at = now() where status = 'pending' and claimed_until is null`)
    const [{ pending } = { pending: 0 }] = await query<{ pending: number }>(
      `select count(*)::int as pending from emails where status = 'pending'`,
    )
    return pending === 0
  })
}

async function compare(journal: Journal, query: Query, received: ReceivedEmail[]): Promise<Omit<Outcome, 'healedMs'>> {
  const records = countsOf(await marksInAudit(query, journal))
  const members = new Set((await query<{ email: string }>('select email from accounts')).map(({ email }) => email))
  const ids = messageIds(received)
  const lost = journal.acknowledged.flatMap((write) => missingOf(write, { records, members, ids }))
  const twice = [
    ...[...records].filter(([, count]) => count > 1).map(([what, count]) => `${what} is recorded ${count} times`),
    ...[...ids].filter(([, own]) => own.size > 1).map(([to, own]) => `${own.size} different emails to ${to}`),
  ]
  lost.push(...journal.wrong, ...[...journal.lostSessions].map((name) => `the session of ${name}`))
  return { acknowledged: journal.acknowledged.length, lost, twice }
}

interface Present {
  records: Map<string, number>
  members: Set<string>
  ids: Map<string, Set<string>>
}

function missingOf({ kind, mark, recipient }: Write, { records, members, ids }: Present): string[] {
  const missing = []
  if (!records.has(`${kind} ${mark}`)) missing.push(`the audit record of ${kind} ${mark}`)
  if (recipient && !members.has(recipient)) missing.push(`the member ${recipient}`)
  if (recipient && !ids.has(recipient)) missing.push(`the email to ${recipient}`)
  return missing
}

/** Every change of the writers, by the text that it carries. */
async function marksInAudit(query: Query, journal: Journal): Promise<Found[]> {
  const companies = [...new Set(journal.acknowledged.map(({ companyId }) => companyId))]
  return query<Found>(
    `select 'update' as action, changes #>> '{position,to}' as mark from audit_records
       where action = 'users.update' and outcome = 'done' and company_id = any ($1)
     union all
     select 'add', target_label from audit_records
       where action = 'users.add' and outcome = 'done' and company_id = any ($1)`,
    [companies],
  )
}

function countsOf(found: Found[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { action, mark } of found) counts.set(`${action} ${mark}`, (counts.get(`${action} ${mark}`) ?? 0) + 1)
  return counts
}

function messageIds(received: ReceivedEmail[]): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>()
  for (const { recipient, messageId } of received) ids.set(recipient, (ids.get(recipient) ?? new Set()).add(messageId))
  return ids
}
