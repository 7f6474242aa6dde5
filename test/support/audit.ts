import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Sync } from '../../src/database/sync.ts'
import { type OfflineVerdict, verifyExport } from '../../src/features/audit/export/verify-export.ts'
import type { TestApp } from './app.ts'
import { withKey } from './browser.ts'
import { type Person, signUp } from './people.ts'
import { retryWhileBusy } from './retries.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer, as a client sees it.
export async function verifyAudit({ api }: Person): Promise<any> {
  const { status, body } = await retryWhileBusy(() => api.get('/companies/audit/verify'))
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

/**
 * Inserts unsealed records, one for each minute up to a day ago, oldest first. Where records are sealed already, those of a
 * day ago would count as tampering, so there the new ones follow the last sealed one by milliseconds.
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

/** Signs up a company with 2500 sealed records and checkpoints at 1000 and 2000. */
export async function sealedCompany(service: TestApp): Promise<Person> {
  const ann = await signUp(service.client)
  await addRecords(service, ann.company.id, 2499)
  const { valid, records } = await verifyAudit(ann)
  assert.deepEqual({ valid, records }, { valid: true, records: 2500 })
  return ann
}

/** Inserts unsealed records of more than 8 kB each, more than the service writes, oldest first. */
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

/** How many statements that a mock of `pg.Client.query` has seen match. */
export function callsOf({ calls }: { calls: { arguments: unknown[] }[] }, text: RegExp): number {
  return calls.filter(({ arguments: [query] }) =>
    (query as Partial<Sync>).statements?.some(({ sql }) => text.test(sql)),
  ).length
}

/** Adds a record as the service does, with another `value` each time: one, also where the first answer was lost. */
export async function changeRetention({ api }: Person, value: number): Promise<void> {
  const once = withKey()
  const { status, body } = await retryWhileBusy(() =>
    api.patch('/companies/audit/settings', { retentionDays: 100 + value }, once),
  )
  assert.equal(status, 200, JSON.stringify(body))
}

export async function exportAudit({ api }: Person, query: string): Promise<string> {
  const { status, body } = await retryWhileBusy(() => api.get(`/companies/audit/export?${query}`))
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

export const linesOf = (text: string): string[] => text.trimEnd().split('\n')

export async function publicKeysOf({ address }: TestApp): Promise<object> {
  return (await (await fetch(`${address}/.well-known/jwks.json`)).json()) as object
}

/** Verifies the lines of an export as the command does, by default with the service's own public keys. */
export async function verifyOffline(service: TestApp, lines: string[], keys?: object): Promise<OfflineVerdict> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-export-'))
  const file = path.join(folder, 'export.ndjson')
  try {
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
    return await verifyExport(file, keys ?? (await publicKeysOf(service)))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
