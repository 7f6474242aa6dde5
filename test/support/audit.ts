import assert from 'node:assert/strict'
import type { TestApp } from './app.ts'
import type { Answer } from './client.ts'
import { type Person, signUp } from './people.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer, as a client sees it.
export async function verifyAudit({ api }: Person): Promise<any> {
  const { status, body } = await patiently(() => api.get('/companies/audit/verify'))
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

const TRIES_MAX = 20

/** Asks again while the service is busy, as a client does: a loaded machine is no broken promise. */
export async function patiently(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await ask()
    if (answer.status !== 503 || tries === TRIES_MAX) return answer
  }
}

/**
 * Records as if that much had happened, the oldest first, each minute one, the last a day ago; not sealed yet. Where
 * records are sealed already, those of a day ago would be tampering: then as if it had happened right after them.
 */
export async function addRecords({ db }: TestApp, companyId: string, count: number): Promise<void> {
  await db.query(
    `insert into audit_records (id, company_id, action, outcome, actor_id, actor_name, target_type, target_id, changes, ip, created_at)
     select gen_random_uuid(), $1, 'branches.update', 'done', gen_random_uuid(), 'Actor ' || n, 'thing', 'T-' || n,
       jsonb_build_object('name', jsonb_build_object('from', 'Old ' || n, 'to', n)), '192.0.2.1',
       coalesce(last_sealed + n * interval '1 ms', now() - interval '1 day' - make_interval(mins => $2 - n))
     from generate_series(1, $2::int) as n,
       (select max(created_at) as last_sealed from audit_records where company_id = $1 and seq is not null) sealed`,
    [companyId, count],
  )
}

/** A company with a long sealed chain, which has kept two checkpoints: at 1000 and at 2000. */
export async function sealedCompany(service: TestApp): Promise<Person> {
  const ann = await signUp(service.client)
  await addRecords(service, ann.company.id, 2499)
  const { valid, records } = await verifyAudit(ann)
  assert.deepEqual({ valid, records }, { valid: true, records: 2500 })
  return ann
}

/** Records of more than 8 kB each, as none is written any more, the oldest first; not sealed yet. */
export async function addLargeRecords({ db }: TestApp, companyId: string, count: number): Promise<void> {
  await db.query(
    `insert into audit_records (id, company_id, action, outcome, target_type, changes, created_at)
     select gen_random_uuid(), $1, 'things.grow', 'done', 'thing',
       jsonb_build_object('name', jsonb_build_object('from', n, 'to', repeat('x', 9000))),
       now() - interval '1 day' - make_interval(mins => $2 - n)
     from generate_series(1, $2::int) as n`,
    [companyId, count],
  )
}

/** How many of the statements that were sent, as a mock of `pg.Client.query` saw them, were such. */
export function callsOf({ calls }: { calls: { arguments: unknown[] }[] }, text: RegExp): number {
  return calls.filter(({ arguments: [query] }) => text.test((query as { text?: string }).text ?? '')).length
}
