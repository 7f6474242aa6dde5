import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { readConfig } from '../src/config/config.ts'
import { locateDatabase } from '../src/database/locate.ts'
import { migrate } from '../src/database/migrate.ts'
import { Database } from '../src/database/open.ts'
import { inCompany } from '../src/database/scopes.ts'
import { sealCompany } from '../src/features/audit/chain/seal-company.ts'
import { type AuditDeps, createAuditDeps } from '../src/features/audit/deps.ts'
import { record } from '../src/features/audit/records.ts'
import { startAuditWorker } from '../src/features/audit/worker/worker.ts'
import { register } from '../src/features/auth/register.ts'
import { createHashing } from '../src/lib/hashing.ts'
import { keysFrom } from '../src/lib/keys.ts'
import { createLog } from '../src/process/log.ts'
import { bytesOf, median, medianMs, timed } from './measure.ts'
import { end, memoryMiB, send, startService, waitForResponse } from './service.ts'

// Measures how much sealing slows down the writers of a company, and how long list, verification and export take.
// npm run bench:audit -- 100000 1000000

const WRITERS = 16
const ROUND_SECONDS = 3
const ROUNDS = 5
const PERSON = { email: 'ann@example.com', password: 'Correct-horse-7' }
const filters = [
  '',
  '?action=users.detach',
  '?action=branches.update',
  '?outcome=permission_missing',
  '?outcome=done',
  '?targetType=company',
  '?targetId=T-7',
  '?actorId=00000000-0000-4000-8000-000000000007',
  '?actorId=00000000-0000-4000-8000-000000000007&action=users.detach',
  '?to=2020-01-01T00:00:00Z',
  '?from=2024-01-01T00:00:00Z&to=2024-01-01T01:00:00Z',
]

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100_000]
const dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-bench-'))
const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
const log = createLog('silent')
const keys = keysFrom(config.appSecret)
const requestInfo = {
  ip: '127.0.0.1',
  network: '127.0.0.1/32',
  userAgent: 'bench',
  requestId: 'bench',
  idempotencyKey: undefined,
}
try {
  const companyId = await inDatabase(createCompany)
  for (const size of sizes) {
    await inDatabase((database, client) => grow(client, createAuditDeps({ database, keys, log }), companyId, size))
    await measureService(size)
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

async function inDatabase<Result>(work: (database: Database, client: pg.Client) => Promise<Result>): Promise<Result> {
  const located = await locateDatabase(config, log)
  await migrate(located.target)
  const database = new Database(located.target)
  const client = new pg.Client(located.target)
  await client.connect()
  try {
    return await work(database, client)
  } finally {
    await client.end()
    await database.close()
    await located.stop()
  }
}

/** Returns the id of a company, after comparing its writers with and without the worker. */
async function createCompany(database: Database): Promise<string> {
  const deps = { config, database, keys, hashing: await createHashing() }
  const auditDeps = createAuditDeps({ database, keys, log })
  const person = { ...PERSON, name: 'Ann', companyName: 'Acme', taxId: '1' }
  const { tenants } = await register(deps, person, { ...requestInfo, elapsedMs: () => 0, isDisconnected: () => false })
  const companyId = tenants[0]?.id as string
  const rates: Record<'without' | 'with', number[]> = { without: [], with: [] }
  for (let round = 0; round < ROUNDS; round++) {
    rates.without.push(await writesPerSecond(database, companyId))
    const worker = startAuditWorker(auditDeps)
    await sealCompany(auditDeps, companyId)
    rates.with.push(await writesPerSecond(database, companyId))
    await worker.stop()
  }
  const [without, sealed] = [median(rates.without), median(rates.with)]
  console.log(
    `${WRITERS} writers into one company, records a second: ${without} without the audit worker, ${sealed} with the worker (${(sealed / without).toFixed(2)})`,
  )
  return companyId
}

async function writesPerSecond(database: Database, companyId: string): Promise<number> {
  const until = performance.now() + ROUND_SECONDS * 1000
  const actor = {
    ...requestInfo,
    elapsedMs: () => 0,
    isDisconnected: () => false,
    accountId: companyId,
    name: 'Ann',
    email: PERSON.email,
  }
  let written = 0
  const writers = Array.from({ length: WRITERS }, async () => {
    for (; performance.now() < until; written++) {
      await database.write(inCompany(companyId, companyId), (tx) =>
        record(
          tx,
          actor,
          'branches.update',
          { type: 'company', id: companyId, label: 'Acme' },
          { name: { from: 'a', to: 'b' } },
        ),
      )
    }
  })
  await Promise.all(writers)
  return Math.round(written / ROUND_SECONDS)
}

async function grow(client: pg.Client, deps: AuditDeps, companyId: string, size: number): Promise<void> {
  const { rows } = await client.query('select count(*)::int as held from audit_records where company_id = $1', [
    companyId,
  ])
  await client.query(
    `insert into audit_records (id, company_id, action, outcome, actor_id, actor_name, actor_email, target_type, target_id,
       target_label, changes, ip, user_agent, request_id, created_at)
     select gen_random_uuid(), $1, case when n % 50000 = 7 then 'users.detach' else 'branches.update' end,
       case when n % 40000 = 3 then 'permission_missing' else 'done' end,
       ('00000000-0000-4000-8000-' || lpad((n % 50)::text, 12, '0'))::uuid, 'Actor ' || n % 50, 'actor@example.com',
       'thing', 'T-' || n, 'Thing ' || n, '{"name":{"from":"Some name","to":"Another name"}}', '192.0.2.1',
       'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
       gen_random_uuid()::text, timestamptz '2024-01-01' + make_interval(secs => n)
     from generate_series($2::int, $3::int) as n`,
    [companyId, rows[0].held + 1, size],
  )
  const since = performance.now()
  const sealed = await sealCompany(deps, companyId)
  const seconds = (performance.now() - since) / 1000
  console.log(`${size} records: ${sealed} sealed in ${seconds.toFixed(1)} s (${Math.round(sealed / seconds)} a second)`)
  await client.query('vacuum analyze audit_records')
}

async function measureService(size: number): Promise<void> {
  const { child, api } = await startService(dataDir)
  try {
    await waitForResponse(`${api}/health`)
    const { accessToken, tenants } = await send(api, '/auth/login', PERSON)
    const headers = { authorization: `Bearer ${accessToken}`, 'x-company-id': tenants[0].id }
    for (const filter of filters)
      console.log(
        `${size} records  ${(filter || 'the list').padEnd(70)} p50 ${await medianMs(`${api}/companies/audit${filter}`, headers)} ms`,
      )

    const verified = await timed(async () => (await fetch(`${api}/companies/audit/verify`, { headers })).json())
    const { valid, records } = (verified.result as { data: { valid: boolean; records: number } }).data
    console.log(`${size} records: verified in ${verified.seconds.toFixed(1)} s (valid: ${valid}, ${records} records)`)
    for (const format of ['ndjson', 'csv']) {
      await pause(1000)
      const before = memoryMiB(child)
      let peak = before
      const watch = setInterval(() => {
        peak = Math.max(peak, memoryMiB(child))
      }, 20)
      const { result, seconds } = await timed(() => bytesOf(`${api}/companies/audit/export?format=${format}`, headers))
      clearInterval(watch)
      console.log(
        `${size} records as ${format}: ${seconds.toFixed(1)} s, ${Math.round(result / 2 ** 20)} MiB, memory ${before} MiB, at most ${peak}`,
      )
    }
  } finally {
    await end([child])
  }
}
