import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it, mock } from 'node:test'
import pg from 'pg'
import { startTestApp, useTestApp } from '../../../../test/support/app.ts'
import {
  addLargeRecords,
  addRecords,
  callsOf,
  patiently,
  sealedCompany,
  verifyAudit,
} from '../../../../test/support/audit.ts'
import type { Answer } from '../../../../test/support/client.ts'
import { join } from '../../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../../test/support/people.ts'
import { verifyExport } from '../chain/verify-export.ts'

const service = await useTestApp()
let folder: string
let jwks: { keys: { kid: string }[] }
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tenantry-export-'))
  jwks = (await (await fetch(`${service.address}/.well-known/jwks.json`)).json()) as typeof jwks
})
after(() => rmSync(folder, { recursive: true }))

async function exported({ api }: Person, query: string): Promise<string> {
  const { status, body } = await patiently(() => api.get(`/companies/audit/export?${query}`))
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

  it('has every record, its own included, and what a verifier needs', async () => {
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

  it('is a file, by a name of ours', async () => {
    const { headers } = await ann.api.get('/companies/audit/export?format=ndjson')
    assert.equal(headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="audit-\d{8}T\d{6}Z\.ndjson"$/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })

  it('is proved offline by the public keys alone', async () => {
    const { valid, text } = await verdictOn(lines)
    assert.ok(valid, text)
    assert.match(text, /^valid, 2501 records of company .*, checkpoint 2501 [0-9a-f]{64} of /)
  })

  it('is proved by the command, which fails when there is nothing to prove', async () => {
    const [file, keyFile] = ['command.ndjson', 'jwks.json'].map((name) => path.join(folder, name)) as [string, string]
    writeFileSync(keyFile, JSON.stringify(jwks))
    const run = (text: string) => {
      writeFileSync(file, text)
      return spawnSync(process.execPath, ['scripts/verify-audit.ts', file, '--keys', keyFile], { encoding: 'utf8' })
    }
    const good = run(`${lines.join('\n')}\n`)
    assert.equal(good.status, 0, good.stderr)
    assert.match(good.stdout, /^valid, 2501 records/)
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
    const places = [
      { ...other, seq: 1500, hash: one.hash },
      { ...one, seq: 1501, hash: other.hash },
    ]
    return lines.toSpliced(at(1500), 2, ...places.map((place) => JSON.stringify(place)))
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
    'records that are cut off': [() => lines.slice(0, -10), /record 2492 and all behind it were cut off/],
    'all records removed': [() => lines.slice(0, 1), /record 1 and all behind it were cut off/],
    'two lines that trade places': [swapped, /record 1500 /],
    'two records that trade places': [renumbered, /record 1500 \(.*\) stands where another one was/],
    'a record twice': [() => lines.toSpliced(at(1500), 0, lines[at(1500)] as string), /record 1500 \(.*\) was put in/],
    'a record behind the end': [
      () => [...lines, (lines.at(-1) as string).replace(':2501,', ':2502,')],
      /record 2502 .*was (put in|changed)/,
    ],
    'a removed checkpoint': [
      () => without(lines.findIndex((line, index) => index > 0 && line.startsWith('{"checkpoint'))),
      /checkpoint before it that was removed/,
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
    'the end of a shorter chain': [() => put(0, lines[at(2000) + 1] as string), /record 2001 \(.*\) was put in/],
    'no end': [() => lines.slice(1), /first line is not the signed end/],
    'a line that is none': [() => put(at(1500), '{"seq":'), /is not a line of an export/],
    'a change that parsers leave out': [
      () => replaced(at(1500), '"changes":{', '"changes":{"__proto__":{"to":"a bribe"},'),
      /record 1500 \(.*\) was changed/,
    ],
    'a field that parsers leave out': [
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
    it(`is not proved by the verifier with ${what}, which it names`, async () => {
      const { valid, text } = await verdictOn(make())
      assert.equal(valid, false, text)
      assert.match(text, said)
    })
  }

  it('is not proved by the keys of another service', async () => {
    const other = await startTestApp()
    const keys = await (await fetch(`${other.address}/.well-known/jwks.json`)).json()
    await other.close()
    const { valid, text } = await verdictOn(lines, keys as object)
    assert.equal(valid, false)
    assert.match(text, /is not in the key set/)
  })

  it('can not be proved whole when it is filtered, and the verifier says so', async () => {
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
  it('quotes what needs it, and lets no spreadsheet take a name for a formula', async () => {
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
  it('needs a format that there is', async () => {
    const ann = await signUp(service.client)
    for (const query of [
      'format=xml',
      'format=ndjson&from=x',
      'format=csv&from=2024-01-02T00:00:00Z&to=2024-01-01T00:00:00Z',
    ])
      assertProblem(await ann.api.get(`/companies/audit/export?${query}`), 400, 'validation_failed')
  })

  it('is on record before it begins, with its filter', async () => {
    const ann = await signUp(service.client)
    await exported(ann, `format=csv&outcome=done&from=2024-01-01T00:00:00Z`)
    const [record] = (await ann.api.get('/companies/audit?action=audit.export')).body.data
    assert.deepEqual(record.changes, {
      format: { to: 'csv' },
      from: { to: '2024-01-01T00:00:00.000Z' },
      outcome: { to: 'done' },
    })
  })

  it('shows nothing of another company, and is for who may read the audit', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const answer = await eve.api.get('/companies/audit/export?format=csv', { company: ann.company.id })
    assertProblem(answer, 403, 'not_a_member')
    assert.ok(!(await exported(eve, 'format=ndjson')).includes(ann.id))
  })

  it('of twenty at once is whole each time, while others write', async () => {
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

  /** Reads the beginning of an export and no more. */
  async function begin({ api, accessToken, company }: Person) {
    const headers = { authorization: `Bearer ${accessToken}`, 'x-company-id': company.id }
    const request = http.get(`${api.address}/companies/audit/export?format=ndjson`, { headers })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    await once(response, 'readable')
    return { request, response }
  }

  it('is cut when the database fails in the middle, never ended as though it were whole', async () => {
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

  it('is cut when its reader loses the session or the right, or the company is closed', async () => {
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

  it('is for two at a time of one account; a third waits until one is over', async () => {
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

  it('asks the database for no more while its client does not read, or when it has gone', async () => {
    const ann = await signUp(service.client)
    await addRecords(service, ann.company.id, RECORDS)
    await verifyAudit(ann)
    const { mock: queries } = mock.method(pg.Client.prototype, 'query')
    const windows = () => callsOf(queries, /audit_records_between/)
    const { request, response } = await begin(ann)
    const stalled = await settled(windows)
    assert.ok(stalled > 0 && stalled < RECORDS / 1000 / 2, `${stalled} windows were read`)
    request.destroy()
    await once(response, 'close').catch(() => {})
    assert.ok((await settled(windows)) <= stalled + 1)
    queries.restore()
  })

  it('reads large records some at a time, and hands out no more than a piece at once', async () => {
    const ann = await signUp(service.client)
    await addLargeRecords(service, ann.company.id, 500)
    assert.equal((await verifyAudit(ann)).records, 501)
    const { mock: reads } = mock.method(pg.Client.prototype, 'query')
    const { mock: writes } = mock.method(http.ServerResponse.prototype, 'write')
    const lines = linesOf(await exported(ann, 'format=ndjson'))
    const windows = callsOf(reads, /audit_records_between/)
    const longest = Math.max(...writes.calls.map(({ arguments: [chunk] }) => Buffer.byteLength(chunk as Buffer)))
    reads.restore()
    writes.restore()
    assert.ok((await verdictOn(lines)).valid)
    assert.ok(windows >= 4, `${windows} windows`)
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
