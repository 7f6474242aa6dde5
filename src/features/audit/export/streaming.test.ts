import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { finished } from 'node:stream/promises'
import { describe, it, mock } from 'node:test'
import pg from 'pg'
import { useTestApp } from '../../../../test/support/app.ts'
import {
  addLargeRecords,
  addRecords,
  callsOf,
  exportAudit,
  linesOf,
  verifyAudit,
  verifyOffline,
} from '../../../../test/support/audit.ts'
import type { Answer } from '../../../../test/support/client.ts'
import { join } from '../../../../test/support/members.ts'
import { OPERATOR } from '../../../../test/support/operator.ts'
import { assertProblem, type Person, signUp } from '../../../../test/support/people.ts'
import { closing, dropPolicy } from '../../../../test/support/policies.ts'
import { disableAccount } from '../../auth/disable-account.ts'
import { eraseFromAudit } from '../../auth/erase-account.ts'

const service = await useTestApp()

const RECORDS = 60_000

/** Her company has more records than are sent before a test interferes. */
const ann = await signUp(service.client)
await addRecords(service, ann.company.id, RECORDS)
await verifyAudit(ann)

describe('a running export', () => {
  const admin = async () => join(ann, await signUp(service.client), ['Admin'])

  /** Reads the start of an export and no more. */
  async function begin({ api, accessToken, company }: Person) {
    const headers = { authorization: `Bearer ${accessToken}`, 'x-company-id': company.id }
    const request = http.get(`${api.address}/companies/audit/export?format=ndjson`, { headers })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    await once(response, 'readable')
    return { request, response }
  }

  it('is cut off when the database fails in the middle, so that it does not look complete', async () => {
    const { response } = await begin(ann)
    await service.db.query('alter table audit_records rename to audit_records_away')
    try {
      const failed = once(response, 'error').then(([error]) => error.code)
      response.resume()
      assert.equal(await failed, 'ECONNRESET')
      assert.equal(response.complete, false)
    } finally {
      await service.db.query('alter table audit_records_away rename to audit_records')
    }
  })

  it('is cut off when its reader loses the session or the membership, or the company is deleted', async () => {
    const [bob, eve, joe] = [await admin(), await admin(), await admin()]
    const endings: [Person, () => Promise<Answer>][] = [
      [bob, () => ann.api.delete(`/companies/users/${bob.id}`)],
      [eve, () => eve.api.post('/auth/logout', { refreshToken: eve.refreshToken })],
      [joe, () => ann.api.delete(`/companies/${ann.company.id}`)],
    ]
    for (const [reader, end] of endings) {
      const { response } = await begin(reader)
      const { status, body } = await end()
      assert.equal(status, 200, JSON.stringify(body))
      const failed = once(response, 'error').then(([error]) => error.code)
      response.resume()
      assert.equal(await failed, 'ECONNRESET')
      assert.equal(response.complete, false)
    }
    assert.equal((await ann.api.post(`/companies/${ann.company.id}/restore`)).status, 200)
  })

  it('is cut off within one batch when the company is suspended, or when its policy keeps the reader out from now on', async () => {
    const endings = [
      'suspended_at = now()',
      ...Object.values(closing).map((columns) => `has_policy = true, ${columns}`),
    ]
    const { mock: queries } = mock.method(pg.Client.prototype, 'query')
    for (const columns of endings) {
      const { response } = await begin(ann)
      await service.db.query(`update companies set ${columns} where id = $1`, [ann.company.id])
      const batches = callsOf(queries, /audit_records_between/)
      const failed = once(response, 'error').then(([error]) => error.code)
      response.resume()
      assert.equal(await failed, 'ECONNRESET', columns)
      assert.equal(response.complete, false)
      const more = callsOf(queries, /audit_records_between/) - batches
      assert.ok(more <= 1, `${more} batches were read after the change: ${columns}`)
      await dropPolicy(service.db, ann.company.id)
      await service.db.query('update companies set suspended_at = null where id = $1', [ann.company.id])
    }
    queries.restore()
  })

  it('is cut off when a person is erased from what is still to come, so that it does not look tampered with', async () => {
    const bob = await join(ann, await signUp(service.client))
    assert.equal((await ann.api.patch(`/companies/users/${bob.id}`, { position: 'Clerk' })).status, 200)
    await disableAccount(service.database, OPERATOR, bob.id, { notifies: false })
    await verifyAudit(ann)
    const { response } = await begin(ann)
    await eraseFromAudit(service.auditDeps, OPERATOR, bob.id, undefined)
    await assert.rejects(finished(response.resume()), { code: 'ECONNRESET' })
    assert.equal(response.complete, false)
  })

  it('is refused to an account that has two running', async () => {
    const [bob, eve] = [await admin(), await admin()]
    const [first, second] = await Promise.all([begin(bob), begin(bob)])
    const refused = await bob.api.get('/companies/audit/export?format=csv')
    assertProblem(refused, 429, 'too_many_exports')
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    const { request } = await begin(eve)
    request.destroy()
    first.request.destroy()
    // The service learns of it when the connection closes, which may take a moment.
    let next: Answer
    do next = await bob.api.get('/companies/audit/export?format=csv&action=branches.delete')
    while (next.status === 429)
    assert.equal(next.status, 200)
    second.request.destroy()
  })

  it('reads no more batches while its client does not read, or has gone', async () => {
    const { mock: queries } = mock.method(pg.Client.prototype, 'query')
    const batches = () => callsOf(queries, /audit_records_between/)
    const { request, response } = await begin(await admin())
    const stalled = await settled(batches)
    assert.ok(stalled > 0 && stalled < RECORDS / 1000 / 2, `${stalled} batches were read`)
    request.destroy()
    await once(response, 'close').catch(() => {})
    assert.ok((await settled(batches)) <= stalled + 1)
    queries.restore()
  })

  it('reads large records in smaller batches, and sends no more than one piece at once', async () => {
    const eve = await signUp(service.client)
    await addLargeRecords(service, eve.company.id, 500)
    assert.equal((await verifyAudit(eve)).records, 501)
    const { mock: reads } = mock.method(pg.Client.prototype, 'query')
    const { mock: writes } = mock.method(http.ServerResponse.prototype, 'write')
    const lines = linesOf(await exportAudit(eve, 'format=ndjson'))
    const batches = callsOf(reads, /audit_records_between/)
    const longest = Math.max(...writes.calls.map(({ arguments: [chunk] }) => Buffer.byteLength(chunk as Buffer)))
    reads.restore()
    writes.restore()
    assert.ok((await verifyOffline(service, lines)).valid)
    assert.ok(batches >= 4, `${batches} batches`)
    assert.ok(longest > 10_000 && longest <= 65_536 + 20_000, `${longest} bytes`)
  })

  /** What a count comes to when it no longer rises. */
  async function settled(count: () => number): Promise<number> {
    let last = -1
    for (let same = 0; same < 10; ) {
      await service.db.query('select pg_sleep(0.1)')
      same = count() === last ? same + 1 : 0
      last = count()
    }
    return last
  }
})
