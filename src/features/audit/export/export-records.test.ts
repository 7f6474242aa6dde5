import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it, mock } from 'node:test'
import pg from 'pg'
import { startTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  addLargeRecords,
  addRecords,
  callsOf,
  retryWhileBusy,
  sealedCompany,
  verifyAudit,
} from '../../../../test/support/audit.ts'
import type { Answer } from '../../../../test/support/client.ts'
import { join } from '../../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../../test/support/people.ts'
import { verifyExport } from './verify-export.ts'

let service: TestApp
let folder: string
let jwks: { keys: { kid: string }[] }
before(async () => {
  service = await startTestApp()
  folder = mkdtempSync(path.join(tmpdir(), 'tenantry-export-'))
  jwks = (await (await fetch(`${service.address}/.well-known/jwks.json`)).json()) as typeof jwks
})
after(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

async function exported({ api }: Person, query: string): Promise<string> {
  const { status, body } = await retryWhileBusy(() => api.get(`/companies/audit/export?${query}`))
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const linesOf = (text: string) => text.trimEnd().split('\n')

async function verdictOn(lines: string[], keys: object = jwks) {
  const file = path.join(folder, 'export.ndjson')
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  return verifyExport(file, keys)
}

describe('an export as NDJSON', () => {
  let ann: Person
  let lines: string[]
  before(async () => {
    ann = await sealedCompany(service)
    lines = linesOf(await exported(ann, 'format=ndjson'))
  })

  it('has every record, that of the export included, and all checkpoints', async () => {
    const { checkpoint } = JSON.parse(lines[0] as string)
    const records = lines.map((line) => JSON.parse(line)).filter((line) => !('checkpoint' in line))
    assert.deepEqual(
      records.map(({ seq }) => seq),
      Array.from({ length: 2501 }, (_, index) => index + 1),
    )
    assert.equal(checkpoint.seq, 2501)
    assert.equal(lines.length, 2501 + 3)
    const { action, actor, changes } = records.at(-1)
    assert.deepEqual([action, actor.id, changes], ['audit.export', ann.id, { format: { to: 'ndjson' } }])
  })

  it('is a file with a name made by the service', async () => {
    const { headers } = await ann.api.get('/companies/audit/export?format=ndjson')
    assert.equal(headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="audit-\d{8}T\d{6}Z\.ndjson"$/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })

  it('is verified offline with the public keys alone', async () => {
    const { valid, text } = await verdictOn(lines)
    assert.ok(valid, text)
    assert.match(text, /^Valid: 2501 records of company .*, signed up to record 2501 \([0-9a-f]{64}\) at /)
  })

  it('is verified by the command, which exits with 1 for an invalid export and with 2 without one', async () => {
    const [file, keyFile] = ['command.ndjson', 'jwks.json'].map((name) => path.join(folder, name)) as [string, string]
    writeFileSync(keyFile, JSON.stringify(jwks))
    const run = (text: string) => {
      writeFileSync(file, text)
      return spawnSync(process.execPath, ['scripts/verify-audit.ts', file, '--keys', keyFile], { encoding: 'utf8' })
    }
    const good = run(`${lines.join('\n')}\n`)
    assert.equal(good.status, 0, good.stderr)
    assert.match(good.stdout, /^Valid: 2501 records/)
    const bad = run(`${lines.toSpliced(1499, 1).join('\n')}\n`)
    assert.equal(bad.status, 1, bad.stderr)
    assert.match(bad.stdout, /^INVALID: record \d+ was removed/)
  })

  const at = (seq: number) => lines.findIndex((line) => line.startsWith(`{"seq":${seq},`))
  const without = (from: number, count = 1) => lines.toSpliced(from, count)
  const put = (index: number, line: string) => lines.toSpliced(index, 1, line)
  const swapped = () => put(at(1500), lines[at(1501)] as string).toSpliced(at(1501), 1, lines[at(1500)] as string)
  const renumbered = () => {
    const [one, other] = [JSON.parse(lines[at(1500)] as string), JSON.parse(lines[at(1501)] as string)]
    const swapped = [
      { ...other, seq: 1500, hash: one.hash },
      { ...one, seq: 1501, hash: other.hash },
    ]
    return lines.toSpliced(at(1500), 2, ...swapped.map((record) => JSON.stringify(record)))
  }
  const replaced = (index: number, from: string | RegExp, to: string) => {
    const line = lines[index] as string
    assert.notEqual(line.replace(from, to), line)
    return put(index, line.replace(from, to))
  }
  const tampered: Record<string, [() => string[], RegExp]> = {
    'a changed record': [
      () => replaced(at(1500), 'branches.update', 'things.read'),
      /record 1500 \([0-9a-f-]{36}\) was changed/,
    ],
    'a changed value': [() => replaced(at(7), /"to":\d+/, '"to":5'), /record 7 \(.*\) was changed/],
    'a removed record': [() => without(at(1500)), /record 1500 was removed/],
    'a removed first record': [() => without(at(1)), /record 1 was removed/],
    'the last records cut off': [() => lines.slice(0, -10), /record 2492 and all records after it were cut off/],
    'all records removed': [() => lines.slice(0, 1), /record 1 and all records after it were cut off/],
    'two swapped lines': [swapped, /record 1500 /],
    'two swapped records': [renumbered, /record 1500 \(.*\) is not at its original position/],
    'a record twice': [
      () => lines.toSpliced(at(1500), 0, lines[at(1500)] as string),
      /record 1500 \(.*\) was inserted/,
    ],
    'a record after the end': [
      () => [...lines, (lines.at(-1) as string).replace(':2501,', ':2502,')],
      /record 2502 .*was (inserted|changed)/,
    ],
    'a removed checkpoint': [
      () => without(lines.findIndex((line, index) => index > 0 && line.startsWith('{"checkpoint'))),
      /after a checkpoint that was removed/,
    ],
    'a forged checkpoint': [
      () =>
        replaced(
          lines.findIndex((line, index) => index > 0 && line.startsWith('{"checkpoint')),
          /"hash":"[0-9a-f]{8}/,
          '"hash":"00000000',
        ),
      /forged/,
    ],
    'a forged end': [() => replaced(0, '"seq":2501', '"seq":2500'), /signature is forged/],
    'the end of a shorter chain': [() => put(0, lines[at(2000) + 1] as string), /record 2001 \(.*\) was inserted/],
    'no signed end': [() => lines.slice(1), /first line is not the signed end/],
    'a line that is not JSON': [() => put(at(1500), '{"seq":'), /is not a line of an export/],
    'a change that JSON parsers may drop': [
      () => replaced(at(1500), '"changes":{', '"changes":{"__proto__":{"to":"a bribe"},'),
      /record 1500 \(.*\) was changed/,
    ],
    'a field that JSON parsers may drop': [
      () => replaced(at(1500), '"actor":{', '"actor":{"__proto__":{"name":"Eve"},'),
      /is not a line of an export/,
    ],
    'a field twice': [
      () => replaced(at(1500), '"action":', '"action":"things.invent","action":'),
      /is not a line of an export/,
    ],
    'a field twice in a checkpoint': [
      () => replaced(0, '"time":', '"time":"2020-01-01T00:00:00.000Z","time":'),
      /first line is not the signed end/,
    ],
    spaces: [() => replaced(at(1500), '"action":', '"action": '), /is not a line of an export/],
    nothing: [() => [], /first line is not the signed end/],
  }
  for (const [what, [make, said]] of Object.entries(tampered)) {
    it(`is found invalid by the offline verifier with ${what}`, async () => {
      const { valid, text } = await verdictOn(make())
      assert.equal(valid, false, text)
      assert.match(text, said)
    })
  }

  it('is invalid under the keys of another service', async () => {
    const other = await startTestApp()
    const keys = await (await fetch(`${other.address}/.well-known/jwks.json`)).json()
    await other.close()
    const { valid, text } = await verdictOn(lines, keys as object)
    assert.equal(valid, false)
    assert.match(text, /is not in the key set/)
  })

  it('can’t be verified when it is filtered, and the verifier says so', async () => {
    const some = linesOf(await exported(ann, 'format=ndjson&action=audit.export'))
    assert.deepEqual(JSON.parse(some[0] as string), { filter: { action: 'audit.export' } })
    assert.ok(some.slice(1).every((line) => JSON.parse(line).action === 'audit.export'))
    const { valid, text } = await verdictOn(some)
    assert.equal(valid, false)
    assert.match(text, /filtered/)
  })

  it('is filtered like the list', async () => {
    const [record] = (await ann.api.get('/companies/audit?action=branches.update')).body.data
    for (const query of [
      `actorId=${record.actor.id}`,
      `targetId=${record.target.id}`,
      `from=${record.created_at}&to=${record.created_at}`,
    ]) {
      const some = linesOf(await exported(ann, `format=ndjson&${query}`)).slice(1)
      assert.deepEqual(
        some.map((line) => JSON.parse(line).id),
        [record.id],
      )
    }
  })
})

describe('an export as CSV', () => {
  it('quotes what needs it, and no cell is a formula for a spreadsheet', async () => {
    const ann = await signUp(service.client)
    const names: Record<string, string> = {
      '=1+1': `'=1+1`,
      '+1': `'+1`,
      '-1': `'-1`,
      '@x': `'@x`,
      '\tx': `'\tx`,
      '\rx': `'\rx`,
      'a "quoted", name': 'a "quoted", name',
      'two\nlines': 'two\nlines',
      'more\n=lines': `more\n'=lines`,
      plain: 'plain',
      'a-b+c=d@e': 'a-b+c=d@e',
      '=HYPERLINK("x")': `'=HYPERLINK("x")`,
      '  =1': `  '=1`,
      '＝1＋1': `'＝1＋1`,
      '＋1': `'＋1`,
      '－1': `'－1`,
      '＠x': `'＠x`,
      "x;=cmd|'/C calc'!A0;": `x;'=cmd|'/C calc'!A0;`,
      'x; +1;\u00a0-1': `x; '+1;\u00a0'-1`,
      'x\t@y|=z': `x\t'@y|'=z`,
      'x;"=1"': `x;"'=1"`,
    }
    for (const [index, name] of Object.keys(names).entries())
      await service.db.query(
        `insert into audit_records (id, company_id, action, outcome, actor_name, target_type, created_at)
         values (gen_random_uuid(), $1, 'branches.update', 'done', $2, 'thing', now() + make_interval(secs => $3))`,
        [ann.company.id, name, index],
      )
    const { headers, body } = await ann.api.get('/companies/audit/export?format=csv&action=branches.update')
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="[\w.-]+\.csv"$/)
    const [head, ...rows] = parseCsv(body)
    const column = head?.indexOf('actor_name') as number
    assert.ok(rows.every((row) => row.length === head?.length))
    assert.deepEqual(
      rows.map((row) => row[column]),
      Object.values(names),
    )
    for (const cell of Object.values(names)) {
      if (/[',;|\s]/.test(cell)) assert.ok(body.includes(`,"${cell.replaceAll('"', '""')}",`), cell)
    }
  })
})

const RECORDS = 60_000

/** As RFC 4180 has it. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

describe('an export', () => {
  it('refuses unknown formats and invalid filters', async () => {
    const ann = await signUp(service.client)
    for (const query of [
      'format=xml',
      'format=ndjson&from=x',
      'format=csv&from=2024-01-02T00:00:00Z&to=2024-01-01T00:00:00Z',
    ])
      assertProblem(await ann.api.get(`/companies/audit/export?${query}`), 400, 'validation_failed')
  })

  it('is recorded with its filter before it starts', async () => {
    const ann = await signUp(service.client)
    await exported(ann, `format=csv&outcome=done&from=2024-01-01T00:00:00Z`)
    const [record] = (await ann.api.get('/companies/audit?action=audit.export')).body.data
    assert.deepEqual(record.changes, {
      format: { to: 'csv' },
      from: { to: '2024-01-01T00:00:00.000Z' },
      outcome: { to: 'done' },
    })
  })

  it('contains no records of another company, and refuses actors outside of the company', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const answer = await eve.api.get('/companies/audit/export?format=csv', { company: ann.company.id })
    assertProblem(answer, 403, 'not_a_member')
    assert.ok(!(await exported(eve, 'format=ndjson')).includes(ann.id))
  })

  it('is complete when twenty run at once while others write', async () => {
    const ann = await signUp(service.client)
    await addRecords(service, ann.company.id, 500)
    const readers = await Promise.all(
      Array.from({ length: 10 }, async () => join(ann, await signUp(service.client), ['Admin'])),
    )
    const exports = [...readers, ...readers].map((reader) => exported(reader, 'format=ndjson'))
    const writes = Array.from({ length: 20 }, (_, index) =>
      ann.api.patch('/companies/audit/settings', { retentionDays: 30 + index }),
    )
    for (const text of await Promise.all(exports)) {
      const { valid, text: said } = await verdictOn(linesOf(text))
      assert.ok(valid, said)
    }
    await Promise.all(writes)
    assert.equal((await verifyAudit(ann)).valid, true)
  })

  /** Reads the start of an export and no more. */
  async function begin({ api, accessToken, company }: Person) {
    const headers = { authorization: `Bearer ${accessToken}`, 'x-company-id': company.id }
    const request = http.get(`${api.address}/companies/audit/export?format=ndjson`, { headers })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    await once(response, 'readable')
    return { request, response }
  }

  it('is cut off when the database fails in the middle, so that it does not look complete', async () => {
    const ann = await signUp(service.client)
    await addRecords(service, ann.company.id, RECORDS)
    await verifyAudit(ann)
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
    const ann = await signUp(service.client)
    const readers = await Promise.all([1, 2, 3].map(async () => join(ann, await signUp(service.client), ['Admin'])))
    const [bob, eve, joe] = readers as [Person, Person, Person]
    await addRecords(service, ann.company.id, RECORDS)
    await verifyAudit(ann)
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
  })

  it('is refused to an account that has two running', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client), ['Admin'])
    await addRecords(service, ann.company.id, RECORDS)
    await verifyAudit(ann)
    const [first, second] = await Promise.all([begin(ann), begin(ann)])
    const refused = await ann.api.get('/companies/audit/export?format=csv')
    assertProblem(refused, 429, 'too_many_exports')
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    const { request } = await begin(bob)
    request.destroy()
    first.request.destroy()
    // The service learns of it when the connection closes, which may take a moment.
    let next: Answer
    do next = await ann.api.get('/companies/audit/export?format=csv&action=branches.delete')
    while (next.status === 429)
    assert.equal(next.status, 200)
    second.request.destroy()
  })

  it('reads no more batches while its client does not read, or has gone', async () => {
    const ann = await signUp(service.client)
    await addRecords(service, ann.company.id, RECORDS)
    await verifyAudit(ann)
    const { mock: queries } = mock.method(pg.Client.prototype, 'query')
    const batches = () => callsOf(queries, /audit_records_between/)
    const { request, response } = await begin(ann)
    const stalled = await settled(batches)
    assert.ok(stalled > 0 && stalled < RECORDS / 1000 / 2, `${stalled} batches were read`)
    request.destroy()
    await once(response, 'close').catch(() => {})
    assert.ok((await settled(batches)) <= stalled + 1)
    queries.restore()
  })

  it('reads large records in smaller batches, and sends no more than one piece at once', async () => {
    const ann = await signUp(service.client)
    await addLargeRecords(service, ann.company.id, 500)
    assert.equal((await verifyAudit(ann)).records, 501)
    const { mock: reads } = mock.method(pg.Client.prototype, 'query')
    const { mock: writes } = mock.method(http.ServerResponse.prototype, 'write')
    const lines = linesOf(await exported(ann, 'format=ndjson'))
    const batches = callsOf(reads, /audit_records_between/)
    const longest = Math.max(...writes.calls.map(({ arguments: [chunk] }) => Buffer.byteLength(chunk as Buffer)))
    reads.restore()
    writes.restore()
    assert.ok((await verdictOn(lines)).valid)
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
