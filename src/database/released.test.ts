import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { isFunction, type Migration, readMigrations } from './migration-files.ts'

/** The files of migrations/ in the last release, each with the release that added it; written by `npm run release`. */
type Released = Record<string, { release: string; checksum: string }>
type File = Pick<Migration, 'name' | 'checksum' | 'sql'>

const FILE = path.join(import.meta.dirname, '..', '..', 'migrations', 'released.json')

describe('a released migration', () => {
  it('is never edited, renamed or preceded by a new one, and a released function changes only with a new one', () => {
    assert.deepEqual(faultsIn(readMigrations(), JSON.parse(readFileSync(FILE, 'utf8'))), [])
  })
})

describe('the check of released migrations', () => {
  const file = (name: string, checksum = name) => ({ name, checksum, sql: '-- expand: a new table' })
  const released = (...names: string[]): Released =>
    Object.fromEntries(names.map((name) => [name, { release: '1.0.0', checksum: name }]))
  const before = released('0001_a.sql', '0002_b.sql', 'functions/f.sql')
  const [a, b, f] = [file('0001_a.sql'), file('0002_b.sql'), file('functions/f.sql')]

  const cases: [string, File[], string[]][] = [
    ['accepts the same files', [a, b, f], []],
    ['accepts a new migration', [a, b, file('0003_c.sql'), f], []],
    [
      'accepts another function together with a new migration',
      [a, b, file('0003_c.sql'), file('functions/f.sql', 'x')],
      [],
    ],
    [
      'refuses a new migration that does not say what it does to the version before',
      [a, b, { ...file('0003_c.sql'), sql: 'alter table x …' }, f],
      ['0003_c.sql does not begin with "-- expand:" or "-- contract:"'],
    ],
    ['refuses an edit', [a, file('0002_b.sql', 'x'), f], ['0002_b.sql was edited after release 1.0.0']],
    ['refuses a deletion', [a, f], ['0002_b.sql was deleted after release 1.0.0']],
    [
      'refuses a new migration before a released one',
      [a, file('0001_c.sql'), b, f],
      ['0001_c.sql comes before 0002_b.sql'],
    ],
    [
      'refuses another function alone',
      [a, b, file('functions/f.sql', 'x')],
      ['functions/f.sql changed without a new migration'],
    ],
    [
      'refuses a new function alone',
      [a, b, f, file('functions/g.sql')],
      ['functions/g.sql changed without a new migration'],
    ],
    ['refuses the deletion of a function alone', [a, b], ['functions/f.sql changed without a new migration']],
  ]
  for (const [title, files, faults] of cases) it(title, () => assert.deepEqual(faultsIn(files, before), faults))

  it('accepts everything before the first release', () => assert.deepEqual(faultsIn([a, b, f], {}), []))
})

function faultsIn(files: File[], released: Released): string[] {
  const faults: string[] = []
  const checksums = new Map(files.map(({ name, checksum }) => [name, checksum]))
  const migrations = Object.keys(released).filter((name) => !isFunction({ name }))
  for (const name of migrations) {
    const { release, checksum } = released[name] as Released[string]
    if (checksums.get(name) === checksum) continue
    faults.push(`${name} was ${checksums.has(name) ? 'edited' : 'deleted'} after release ${release}`)
  }
  const last = migrations.sort().at(-1)
  if (!last) return faults

  const added = files.filter((file) => !isFunction(file) && !released[file.name])
  for (const { name, sql } of added) {
    if (name < last) faults.push(`${name} comes before ${last}`)
    if (!/^-- (expand|contract): /.test(sql)) faults.push(`${name} does not begin with "-- expand:" or "-- contract:"`)
  }
  if (added.length > 0) return faults
  const functions = new Set([...Object.keys(released), ...checksums.keys()].filter((name) => isFunction({ name })))
  for (const name of functions) {
    if (checksums.get(name) !== released[name]?.checksum) faults.push(`${name} changed without a new migration`)
  }
  return faults
}
