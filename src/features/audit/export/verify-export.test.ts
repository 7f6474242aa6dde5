import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startTestApp, useTestApp } from '../../../../test/support/app.ts'
import { exportAudit, linesOf, publicKeysOf, sealedCompany, verifyOffline } from '../../../../test/support/audit.ts'
import type { Person } from '../../../../test/support/people.ts'

const service = await useTestApp()

describe('an export', () => {
  let ann: Person
  let lines: string[]
  before(async () => {
    ann = await sealedCompany(service)
    lines = linesOf(await exportAudit(ann, 'format=ndjson'))
  })

  it('is verified offline with the public keys alone', async () => {
    const { valid, text } = await verifyOffline(service, lines)
    assert.ok(valid, text)
    assert.match(text, /^Valid: 2501 records of company .*, signed up to record 2501 \([0-9a-f]{64}\) at /)
  })

  it('is verified by the command, which exits with 0 when it is valid, 1 when it is invalid and 2 when it can’t be read', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-verify-'))
    after(() => rmSync(folder, { recursive: true }))
    const [file, keyFile] = ['export.ndjson', 'jwks.json'].map((name) => path.join(folder, name)) as [string, string]
    writeFileSync(keyFile, JSON.stringify(await publicKeysOf(service)))
    const command = ['src/cli/main.ts', 'audit', 'verify', '--export', file, '--keys', keyFile]
    const verify = () => spawnSync(process.execPath, command, { encoding: 'utf8', env: {} })
    assert.equal(verify().status, 2)
    const run = (text: string) => {
      writeFileSync(file, text)
      return verify()
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
  const swappedSalts = () => {
    const [one, other] = [JSON.parse(lines[at(1500)] as string), JSON.parse(lines[at(1501)] as string)]
    const swapped = [
      { ...one, personal: other.personal },
      { ...other, personal: one.personal },
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
    'a changed salt': [
      () => replaced(at(1500), /"salt":"[0-9a-f]{8}/, '"salt":"00000000'),
      /record 1500 \(.*\) was changed/,
    ],
    'salts of two records that are swapped': [swappedSalts, /record 1500 \(.*\) was changed/],
    'a commitment in place of a salt': [
      () => replaced(at(1500), /"salt":"[0-9a-f]{32}"/, `"commitment":"${'0'.repeat(64)}"`),
      /record 1500 \(.*\) was changed/,
    ],
    'a commitment beside a salt': [
      () => replaced(at(1500), /"salt":"([0-9a-f]{32})"/, `"salt":"$1","commitment":"${'0'.repeat(64)}"`),
      /is not a line of an export/,
    ],
    'a salt that is too long': [() => replaced(at(1500), '"salt":"', '"salt":"00'), /is not a line of an export/],
    'another kind of actor': [
      () => replaced(at(1500), '"kind":null', '"kind":"operator"'),
      /record 1500 \(.*\) was changed/,
    ],
    'a form of a later version': [
      () => replaced(at(1500), '"v":2', '"v":3'),
      /has a form that this version does not know/,
    ],
    'a form of the version before': [() => replaced(at(1500), '"v":2', '"v":1'), /is not a line of an export/],
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
  for (const [what, [make, message]] of Object.entries(tampered)) {
    it(`is found invalid by the offline verifier with ${what}`, async () => {
      const { valid, text } = await verifyOffline(service, make())
      assert.equal(valid, false, text)
      assert.match(text, message)
    })
  }

  it('is invalid under the keys of another service', async () => {
    const other = await startTestApp()
    const keys = await (await fetch(`${other.address}/.well-known/jwks.json`)).json()
    await other.close()
    const { valid, text } = await verifyOffline(service, lines, keys as object)
    assert.equal(valid, false)
    assert.match(text, /is not in the key set/)
  })

  it('can’t be verified when it is filtered, and the verifier says so', async () => {
    const some = linesOf(await exportAudit(ann, 'format=ndjson&action=audit.export'))
    assert.deepEqual(JSON.parse(some[0] as string), { filter: { action: 'audit.export' } })
    assert.ok(some.slice(1).every((line) => JSON.parse(line).action === 'audit.export'))
    const { valid, text } = await verifyOffline(service, some)
    assert.equal(valid, false)
    assert.match(text, /filtered/)
  })
})
