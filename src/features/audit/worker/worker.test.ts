import assert from 'node:assert/strict'
import { describe, it, mock, type TestContext } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import pg from 'pg'
import { startTestApp, type TestApp, useTestApp } from '../../../../test/support/app.ts'
import {
  addLargeRecords,
  addRecords,
  callsOf,
  patiently,
  sealedCompany,
  verifyAudit,
} from '../../../../test/support/audit.ts'
import { codeOf, outcome } from '../../../../test/support/catalogue.ts'
import { type Person, signUp } from '../../../../test/support/people.ts'
import { until } from '../../../../test/support/until.ts'
import { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { keysFrom } from '../../../lib/keys.ts'
import { Problem } from '../../../problems.ts'
import { createLog } from '../../../process/log.ts'
import { inLane } from '../chain/queries.ts'
import { verifyChain } from '../chain/verify-company.ts'
import { purgeCompany } from './purge-company.ts'
import { renewSignatures } from './renew-signatures.ts'
import { sealCompany } from './sealing.ts'
import { startAuditWorker } from './worker.ts'

const service = await useTestApp()

const RECORDS_MS = 20_000

/** Until a query finds nothing. */
async function gone(query: string, values: unknown[] = []): Promise<void> {
  for (const deadline = Date.now() + RECORDS_MS; Date.now() < deadline; ) {
    if ((await service.db.query(query, values)).length === 0) return
    await service.db.query('select pg_sleep(0.05)')
  }
  assert.fail(`still there: ${query}`)
}
/** Something that goes on record, each time with another `value`. */
async function write({ api }: Person, value: number): Promise<void> {
  const { status, body } = await patiently(() => api.patch('/companies/audit/settings', { retentionDays: 100 + value }))
  assert.equal(status, 200, JSON.stringify(body))
}
const unsealed = 'select from audit_records where seq is null and company_id is not null'

function startNode(t: TestContext) {
  const database = new Database(service.db.target)
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  const worker = startAuditWorker({ database, keys: service.keys, log })
  const end = async () => {
    await worker.stop()
    await database.close()
  }
  let ending: Promise<void> | undefined
  const stop = () => (ending ??= end())
  t.after(stop)
  return { lines, stop }
}

describe('the background sealer', () => {
  it('seals every company, on however many nodes, and loses or repeats nothing', async (t) => {
    const people = await Promise.all(Array.from({ length: 6 }, () => signUp(service.client)))
    for (const { company } of people) await addRecords(service, company.id, 700)
    const nodes = [startNode(t), startNode(t), startNode(t)]
    await Promise.all(people.flatMap((person) => Array.from({ length: 4 }, (_, index) => write(person, index))))
    await gone(unsealed)
    await Promise.all(nodes.map((node) => node.stop()))
    for (const person of people) {
      const { valid, records } = await verifyAudit(person)
      assert.deepEqual({ valid, records }, { valid: true, records: 705 })
    }
  })

  it('is right when many seal one company at once, while others write', async () => {
    for (let round = 0; round < 3; round++) {
      const ann = await signUp(service.client)
      await addRecords(service, ann.company.id, 3000)
      const nodes = Array.from({ length: 5 }, () => ({ keys: service.keys, database: new Database(service.db.target) }))
      const seals = nodes.map((node) => sealCompany(node, ann.company.id))
      const writes = Array.from({ length: 20 }, (_, index) => write(ann, index))
      const sealed = await Promise.all(seals)
      await Promise.all(writes)
      const rest = await sealCompany(service.parts, ann.company.id)
      await Promise.all(nodes.map(({ database }) => database.close()))
      assert.equal(
        sealed.reduce((sum, count) => sum + count, rest),
        3021,
      )
      const { valid, records } = await verifyAudit(ann)
      assert.deepEqual({ valid, records }, { valid: true, records: 3021 })
    }
  })

  it('lets a verification be right while others write and seal', async (t) => {
    const ann = await signUp(service.client)
    const node = startNode(t)
    const writes = Array.from({ length: 20 }, (_, index) => write(ann, index))
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => verifyAudit(ann)))
    assert.ok(verdicts.every(({ valid }) => valid))
    await Promise.all(writes)
    const { valid, records } = await verifyAudit(ann)
    await node.stop()
    assert.deepEqual({ valid, records }, { valid: true, records: 21 })
  })

  it('leaves nothing half done when its connection dies in the middle', async () => {
    const ann = await signUp(service.client)
    await addRecords(service, ann.company.id, 5000)
    const sealing = sealCompany(service.parts, ann.company.id).catch(() => 'died')
    await service.db.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename = 'tenantry' and pid <> pg_backend_pid()`)
    await sealing
    await service.client.get('/health/ready')
    const { valid, records } = await verifyAudit(ann)
    assert.deepEqual({ valid, records }, { valid: true, records: 5001 })
  })

  it('hands over to another node when its own ends', async (t) => {
    const [first, second] = [startNode(t), startNode(t)]
    await gone(unsealed)
    await first.stop()
    await signUp(service.client)
    await gone(unsealed)
    await second.stop()
  })

  it('has a lane of its own, however many are reading', async () => {
    const ann = await signUp(service.client)
    const { promise, resolve } = Promise.withResolvers<void>()
    const readers = Array.from({ length: 20 }, () => inLane(() => promise))
    assert.equal(await sealCompany(service.parts, ann.company.id), 1)
    resolve()
    await Promise.all(readers)
  })

  it('seals large records some at a time, and all of them at once', async () => {
    const ann = await signUp(service.client)
    await addLargeRecords(service, ann.company.id, 500)
    const { mock: queries } = mock.method(pg.Client.prototype, 'query')
    const sealed = await sealCompany(service.parts, ann.company.id)
    const batches = callsOf(queries, /seal_audit_records/)
    queries.restore()
    assert.equal(sealed, 501)
    assert.ok(batches >= 4, `${batches} batches`)
    const { valid, records } = await verifyAudit(ann)
    assert.deepEqual({ valid, records }, { valid: true, records: 501 })
  })

  it('tells the log of a chain that is broken, without its records, and goes on with the others', async (t) => {
    const [ann, bob] = [await sealedCompany(service), await signUp(service.client)]
    await service.db.query(`update audit_heads set hash = repeat('0', 64) where company_id = $1`, [ann.company.id])
    await addRecords(service, ann.company.id, 3)
    const node = startNode(t)
    await gone(`${unsealed} and company_id = $1`, [bob.company.id])
    const errors = () => node.lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50)
    await until(() => errors().length > 0)
    await node.stop()
    const told = errors()
    assert.deepEqual(
      told.map(({ company, msg }) => ({ company, msg })),
      [{ company: ann.company.id, msg: 'the audit of a company can not go on' }],
    )
    assert.ok(!node.lines.join().includes('Actor 1'))
  })

  it('leaves a broken chain alone for a while, and reads none of what waits behind it', async (t) => {
    const [ann, bob] = [await sealedCompany(service), await signUp(service.client)]
    await verifyAudit(bob)
    await service.db.query(`update audit_heads set hash = repeat('0', 64) where company_id = $1`, [ann.company.id])
    await addRecords(service, ann.company.id, 3)
    const { mock: queries } = mock.method(pg.Client.prototype, 'query')
    const node = startNode(t)
    for (let round = 0; round < 4; round++) {
      await write(bob, round)
      await gone(`${unsealed} and company_id = $1`, [bob.company.id])
    }
    await node.stop()
    const about = (text: RegExp) =>
      queries.calls.filter(({ arguments: [query] }) => {
        const { text: sent = '', steps = [] } = query as { text?: string; steps?: { values: string[] }[] }
        return text.test(sent) && steps.some(({ values }) => values.includes(ann.company.id))
      }).length
    queries.restore()
    assert.equal(about(/from "audit_heads"/), 1)
    assert.equal(about(/audit_records_unsealed/), 0)
  })

  it('logs where the chains end', async (t) => {
    const ann = await signUp(service.client)
    const { checkpoint } = await verifyAudit(ann)
    const node = startNode(t)
    const said = () =>
      node.lines.some((line) => line.includes(`${ann.company.id} ${checkpoint.seq} ${checkpoint.hash}`))
    await until(said)
    await node.stop()
    assert.ok(said())
  })
})

describe('what a company keeps no longer', () => {
  const purgeAll = async ({ company }: Person) => {
    let batches = 0
    while (await purgeCompany(service.parts, company.id)) batches++
    return batches
  }

  it('is removed from the beginning of the chain, which still verifies, and leaves a record', async () => {
    const ann = await signUp(service.client)
    await ann.api.patch('/companies/audit/settings', { retentionDays: 30 })
    await addRecords(service, ann.company.id, 2500)
    await service.db.query(
      `update audit_records set created_at = created_at - interval '60 days'
      where company_id = $1 and action = 'branches.update' and target_id <> 'T-2500'`,
      [ann.company.id],
    )
    await verifyAudit(ann)
    assert.equal(await purgeAll(ann), 3)

    const { valid, records, checkpoint } = await verifyAudit(ann)
    assert.deepEqual({ valid, records, begins: checkpoint.begins.seq }, { valid: true, records: 6, begins: 2499 })
    const shown = (await ann.api.get('/companies/audit')).body.data
    assert.equal(shown.filter(({ action }: { action: string }) => action === 'branches.update').length, 1)
    const purges = shown.filter(({ action }: { action: string }) => action === 'audit.purge')
    assert.deepEqual(purges[0].changes, { seq: { from: 2001, to: 2499 } })
    assert.deepEqual(purges[0].actor, { id: null, name: '', email: '' })
    const kept = await service.db.query('select from audit_checkpoints where company_id = $1 and seq <= 2499', [
      ann.company.id,
    ])
    assert.equal(kept.length, 0)
  })

  it('is nothing without a setting, and nothing that is younger', async () => {
    const ann = await sealedCompany(service)
    await service.db.query(
      `update audit_records set created_at = created_at - interval '60 days' where company_id = $1`,
      [ann.company.id],
    )
    assert.equal(await purgeAll(ann), 0)
    const bob = await sealedCompany(service)
    await bob.api.patch('/companies/audit/settings', { retentionDays: 30 })
    assert.equal(await purgeAll(bob), 0)
  })

  /** The database, but each time a head was read something is done before it is known. */
  function disturbed(disturb: () => Promise<unknown>): Database {
    const readings = new WeakSet<object>()
    const plugin: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        if (node.kind === 'SelectQueryNode' && JSON.stringify(node).includes('"audit_heads"')) readings.add(queryId)
        return node
      },
      async transformResult({ result, queryId }) {
        if (readings.has(queryId)) await disturb()
        return result
      },
    }
    return { autocommit: (scope) => service.database.autocommit(scope).withPlugin(plugin) } as Database
  }

  /** A company of which nearly all is over. */
  async function oldCompany(count: number): Promise<Person> {
    const ann = await signUp(service.client)
    await ann.api.patch('/companies/audit/settings', { retentionDays: 30 })
    await addRecords(service, ann.company.id, count)
    await service.db.query(
      `update audit_records set created_at = created_at - interval '60 days'
      where company_id = $1 and action = 'branches.update'`,
      [ann.company.id],
    )
    await sealCompany(service.parts, ann.company.id)
    return ann
  }

  it('is tried again at once when the head has moved meanwhile', async () => {
    const ann = await oldCompany(500)
    let times = 0
    const database = disturbed(async () => {
      if (times++ > 0) return
      await addRecords(service, ann.company.id, 1)
      assert.equal(await sealCompany(service.parts, ann.company.id), 1)
    })
    assert.equal(await purgeCompany({ ...service.parts, database }, ann.company.id), true)
    const { valid, checkpoint } = await verifyAudit(ann)
    assert.deepEqual({ valid, begins: checkpoint.begins.seq }, { valid: true, begins: 500 })
  })

  it('is no tampering for a verification, however often it is disturbed', async () => {
    const ann = await oldCompany(2500)
    let reads = 0
    const database = disturbed(async () => {
      if (reads++ % 2 === 0) assert.equal(await purgeCompany(service.parts, ann.company.id), true)
    })
    const verifying = verifyChain({ ...service.parts, database }, ann.company.id)
    await assert.rejects(verifying, (error) => {
      assert.ok(error instanceof Problem)
      assert.deepEqual([error.code, error.context.retryAfterSeconds], ['database_unavailable', 2])
      return true
    })
    assert.equal((await verifyAudit(ann)).valid, true)
  })

  it('is for the database to say, whoever asks', async () => {
    const ann = await sealedCompany(service)
    await ann.api.patch('/companies/audit/settings', { retentionDays: 30 })
    const { checkpoint } = await verifyAudit(ann)
    const purge = outcome(
      service.database,
      asWorker,
      `select purge_audit_records(?::uuid, ?, 10, 'x', 0, now(), 'x', 'x', gen_random_uuid())`,
      ann.company.id,
      checkpoint.signature,
    )
    await assert.rejects(purge, (error) => codeOf(error) === 'P0001')
    assert.equal((await verifyAudit(ann)).valid, true)
  })

  it('is removed once, and right, while others purge, seal, verify and write', async () => {
    const ann = await signUp(service.client)
    await ann.api.patch('/companies/audit/settings', { retentionDays: 30 })
    await addRecords(service, ann.company.id, 3000)
    await service.db.query(
      `update audit_records set created_at = created_at - interval '200 days'
      where company_id = $1 and action = 'branches.update'`,
      [ann.company.id],
    )
    await sealCompany(service.parts, ann.company.id)
    const work = Array.from({ length: 5 }, (_, place) => [
      purgeAll(ann),
      sealCompany(service.parts, ann.company.id),
      write(ann, place),
    ]).flat()
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => verifyAudit(ann)))
    assert.ok(
      verdicts.every(({ valid }) => valid),
      JSON.stringify(verdicts.find(({ valid }) => !valid)?.firstBad),
    )
    await Promise.all(work)
    await purgeAll(ann)
    const { valid, checkpoint } = await verifyAudit(ann)
    assert.deepEqual({ valid, begins: checkpoint.begins.seq }, { valid: true, begins: 3000 })
  })
})

describe('the secret of the service', () => {
  it('may be replaced: what the previous one signed is signed anew, and the chain goes on', async () => {
    const ann = await sealedCompany(service)
    const [first, second] = [service.parts.config.appSecret, 'another-secret-of-more-than-32-characters']
    const rotated = { database: service.database, keys: keysFrom(second, first) }
    await addRecords(service, ann.company.id, 10)
    await renewSignatures(rotated)
    const kids = await service.db.query<{ kid: string }>(
      'select kid from audit_heads where company_id = $1 union select kid from audit_checkpoints where company_id = $1',
      [ann.company.id],
    )
    assert.deepEqual(
      kids.map(({ kid }) => kid),
      [rotated.keys.current.kid],
    )

    const later = await startTestApp({ APP_SECRET: second }, service.db)
    const there = {
      ...ann,
      api: later.client.with({ token: (await signedInAt(later, ann)).accessToken, company: ann.company.id }),
    }
    const { valid } = await verifyAudit(there)
    await later.close()
    assert.equal(valid, true)
  })

  async function signedInAt(later: TestApp, { email }: Person) {
    const { body } = await later.client.post('/auth/login', { email, password: 'Correct-horse-7' })
    return body.data
  }
})

describe('what nobody signed', () => {
  it('keeps nothing else from being signed anew, and is counted', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)].sort((one, other) =>
      one.company.id < other.company.id ? -1 : 1,
    ) as [Person, Person]
    for (const person of [ann, bob]) await verifyAudit(person)
    await service.db.query(
      `insert into audit_checkpoints select company_id, number + n, seq + n, hash, begins_seq, begins_hash, begins_number, time, kid, signature
      from audit_checkpoints, generate_series(1, 1200) n where company_id = $1`,
      [ann.company.id],
    )
    const rotated = {
      database: service.database,
      keys: keysFrom('one-more-secret-of-more-than-32-characters', service.parts.config.appSecret),
    }
    const { left } = await renewSignatures(rotated)
    assert.ok(left >= 1200, `${left} are left`)
    const kids = await service.db.query<{ kid: string }>(
      'select kid from audit_heads where company_id = $1 union select kid from audit_checkpoints where company_id = $1',
      [bob.company.id],
    )
    assert.deepEqual(kids, [{ kid: rotated.keys.current.kid }])
  })
})

describe('the roles of the service', () => {
  it('give no record its place, time or hash, and move no head', async () => {
    const ann = await sealedCompany(service)
    const tenant = { role: 'tenantry_tenant', companyId: ann.company.id, accountId: ann.id } as const
    const insert = (column: string, value: string) =>
      `insert into audit_records (id, company_id, action, outcome, target_type, ${column}) values (gen_random_uuid(), '${ann.company.id}', 'x', 'done', 'x', ${value})`
    for (const statement of [
      insert('seq', '7000'),
      insert('hash', `'x'`),
      insert('created_at', 'now()'),
      'update audit_heads set seq = 1',
      'delete from audit_heads',
      'delete from audit_checkpoints',
      'update audit_settings set company_id = gen_random_uuid()',
      `insert into audit_settings (company_id) values ('${ann.company.id}')`,
      'insert into audit_checkpoints select * from audit_heads',
      `select seal_audit_records(null, null, null, null, null, null, null, null, null, null)`,
    ])
      assert.equal(await outcome(service.database, tenant, statement), 'refused', statement)
    for (const table of ['audit_records', 'audit_heads', 'audit_checkpoints', 'audit_settings'])
      assert.equal(await outcome(service.database, asWorker, `select from ${table}`), 'refused', table)
  })

  it('seal nothing a second time, and nothing out of order', async () => {
    const ann = await sealedCompany(service)
    const { checkpoint } = await verifyAudit(ann)
    const [row] = await service.db.query<{ id: string }>(
      'select id from audit_records where company_id = $1 and seq = 7',
      [ann.company.id],
    )
    const seal = (number: number, seq: number) =>
      outcome(
        service.database,
        asWorker,
        `select seal_audit_records(?::uuid, ?, array[?::uuid], array[repeat('0', 64)], ${number}, ${seq}, now(), 'x', 'x', 'x')`,
        ann.company.id,
        checkpoint.signature,
        row?.id as string,
      )
    await assert.rejects(seal(checkpoint.number, 2501), (error) => codeOf(error) === 'P0001')
    await addRecords(service, ann.company.id, 1)
    await assert.rejects(seal(checkpoint.number, 2600), (error) => codeOf(error) === 'P0001')
    assert.equal((await verifyAudit(ann)).valid, true)
  })
})
