import assert from 'node:assert/strict'
import { describe, it, mock, type TestContext } from 'node:test'
import pg from 'pg'
import { useTestApp } from '../../../../test/support/app.ts'
import { addRecords, changeRetention, sealedCompany, verifyAudit } from '../../../../test/support/audit.ts'
import { signUp } from '../../../../test/support/people.ts'
import { until } from '../../../../test/support/until.ts'
import { Database } from '../../../database/open.ts'
import type { Sync } from '../../../database/sync.ts'
import { createLog } from '../../../process/log.ts'
import { createAuditDeps } from '../deps.ts'
import { startAuditWorker } from './worker.ts'

const service = await useTestApp()

const RECORDS_MS = 20_000

/** Waits until a query finds nothing. */
async function untilGone(query: string, values: unknown[] = []): Promise<void> {
  for (const deadline = Date.now() + RECORDS_MS; Date.now() < deadline; ) {
    if ((await service.db.query(query, values)).length === 0) return
    await service.db.query('select pg_sleep(0.05)')
  }
  assert.fail(`still there: ${query}`)
}
const unsealed = 'select from audit_records where seq is null and company_id is not null'

function startNode(t: TestContext) {
  const database = new Database(service.db.target)
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  const worker = startAuditWorker(createAuditDeps({ database, keys: service.keys, log }))
  const end = async () => {
    await worker.stop()
    await database.close()
  }
  let ending: Promise<void> | undefined
  const stop = () => (ending ??= end())
  t.after(stop)
  return { lines, stop }
}

describe('the audit worker', () => {
  it('seals the records of all companies once, on any number of nodes', async (t) => {
    const people = await Promise.all(Array.from({ length: 6 }, () => signUp(service.client)))
    for (const { company } of people) await addRecords(service, company.id, 700)
    const nodes = [startNode(t), startNode(t), startNode(t)]
    await Promise.all(
      people.flatMap((person) => Array.from({ length: 4 }, (_, index) => changeRetention(person, index))),
    )
    await untilGone(unsealed)
    await Promise.all(nodes.map((node) => node.stop()))
    for (const person of people) {
      const { valid, records } = await verifyAudit(person)
      assert.deepEqual({ valid, records }, { valid: true, records: 705 })
    }
  })

  it('leaves verifications valid while others write and seal', async (t) => {
    const ann = await signUp(service.client)
    const node = startNode(t)
    const writes = Array.from({ length: 20 }, (_, index) => changeRetention(ann, index))
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => verifyAudit(ann)))
    assert.ok(verdicts.every(({ valid }) => valid))
    await Promise.all(writes)
    const { valid, records } = await verifyAudit(ann)
    await node.stop()
    assert.deepEqual({ valid, records }, { valid: true, records: 21 })
  })

  it('hands over to another node when it stops', async (t) => {
    const [first, second] = [startNode(t), startNode(t)]
    await untilGone(unsealed)
    await first.stop()
    await signUp(service.client)
    await untilGone(unsealed)
    await second.stop()
  })

  it('logs a broken chain without its records, and goes on with the other companies', async (t) => {
    const [ann, bob] = [await sealedCompany(service), await signUp(service.client)]
    await service.db.query(`update audit_heads set hash = repeat('0', 64) where company_id = $1`, [ann.company.id])
    await addRecords(service, ann.company.id, 3)
    const node = startNode(t)
    await untilGone(`${unsealed} and company_id = $1`, [bob.company.id])
    const errors = () => node.lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50)
    await until(() => errors().length > 0)
    await node.stop()
    const logged = errors()
    assert.deepEqual(
      logged.map(({ company, msg }) => ({ company, msg })),
      [{ company: ann.company.id, msg: 'audit worker failed for a company' }],
    )
    assert.ok(!node.lines.join().includes('Actor 1'))
  })

  it('pauses for a broken chain, and reads no records that wait behind it', async (t) => {
    const [ann, bob] = [await sealedCompany(service), await signUp(service.client)]
    await verifyAudit(bob)
    await service.db.query(`update audit_heads set hash = repeat('0', 64) where company_id = $1`, [ann.company.id])
    await addRecords(service, ann.company.id, 3)
    const { mock: queries } = mock.method(pg.Client.prototype, 'query')
    const node = startNode(t)
    for (let round = 0; round < 4; round++) {
      await changeRetention(bob, round)
      await untilGone(`${unsealed} and company_id = $1`, [bob.company.id])
    }
    await node.stop()
    const about = (text: RegExp) =>
      queries.calls.filter(({ arguments: [query] }) => {
        const { statements = [], steps = [] } = query as Partial<Sync>
        const isAbout = steps.some(({ values }) => values.includes(ann.company.id))
        return isAbout && statements.some(({ sql }) => text.test(sql))
      }).length
    queries.restore()
    assert.equal(about(/from "audit_heads"/), 1)
    assert.equal(about(/audit_records_unsealed/), 0)
  })

  it('logs the heads of the chains', async (t) => {
    const ann = await signUp(service.client)
    const { checkpoint } = await verifyAudit(ann)
    const node = startNode(t)
    const isLogged = () =>
      node.lines.some((line) => line.includes(`${ann.company.id} ${checkpoint.seq} ${checkpoint.hash}`))
    await until(isLogged)
    await node.stop()
    assert.ok(isLogged())
  })
})
