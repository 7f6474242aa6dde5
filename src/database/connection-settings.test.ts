import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createTestDatabase, type TestDatabase, testServer } from '../../test/support/database.ts'
import { until } from '../../test/support/until.ts'
import { Problem } from '../problems.ts'
import type { Target } from './connection-settings.ts'
import { Database } from './open.ts'
import { asAnyone } from './scopes.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.drop())

async function ask<Row>(target: Target, text: string): Promise<Row> {
  const database = new Database(target)
  try {
    const { rows } = await sql.raw<Row>(text).execute(database.autocommit(asAnyone))
    return rows[0] as Row
  } finally {
    await database.close()
  }
}

const { host, port } = testServer()
const nameOf = (target: Target) => (target as { database: string }).database
const urlOf = (user: string, query = '') =>
  `postgres://${user}@/${nameOf(db.target)}?host=${encodeURIComponent(host)}&port=${port}${query}`

const INSTANT = `timestamptz '2026-11-20 20:37:11.123456+00'`

describe('a value', () => {
  it('of type timestamptz is read as ISO 8601 in UTC with milliseconds', async () => {
    const times = {
      '2026-11-20 20:37:11.123456+00': '2026-11-20T20:37:11.123Z',
      '2026-11-20 20:37:11.9999+00': '2026-11-20T20:37:11.999Z',
      '2026-11-20 20:37:11.5+00': '2026-11-20T20:37:11.500Z',
      '2026-11-20 20:37:11.05+00': '2026-11-20T20:37:11.050Z',
      '2026-11-20 20:37:11+00': '2026-11-20T20:37:11.000Z',
      '2026-11-20 20:37:11.1+05:30': '2026-11-20T15:07:11.100Z',
      '0900-01-02 03:04:05+00': '0900-01-02T03:04:05.000Z',
      '9999-12-31 23:59:59.999999+00': '9999-12-31T23:59:59.999Z',
    }
    for (const [text, expected] of Object.entries(times)) {
      assert.deepEqual(await ask(db.target, `select timestamptz '${text}' as at`), { at: expected })
    }
  })

  it('of type bigint is read as a number', async () => {
    assert.deepEqual(await ask(db.target, 'select count(*) as count from generate_series(1, 3)'), { count: 3 })
  })
})

describe('a session', () => {
  const expected = {
    at: '2026-11-20T20:37:11.123Z',
    text: '2026-11-20 20:37:11.123456+00',
    duration: '1 day 02:00:00',
    backslash: '\\n',
    elements: ['a', null],
    is_null: null,
    fraction: '0.30000000000000004',
    bytes: '\\x00ff',
    search_limit: '0',
    idle_limit: '0',
    name: 'Zoë',
    length: 3,
    isolation: 'read committed',
    tables: '0',
    time_limit: '1700ms',
    filtered: 'on',
    role: 'tenantry_account',
  }
  const everything = `select ${INSTANT} as at, ${INSTANT}::text as text, (interval '1 day 2 hours')::text as duration,
    '\\n' as backslash, '{a,NULL}'::text[] as elements, (null = null)::text as is_null, (0.1::float8 + 0.2)::text as fraction,
    decode('00ff', 'hex')::text as bytes, current_setting('gin_fuzzy_search_limit') as search_limit,
    current_setting('idle_session_timeout') as idle_limit, 'Zoë' as name, length('Zoë') as length, current_setting('transaction_isolation') as isolation,
    (select count(*)::text from accounts) as tables, current_setting('statement_timeout') as time_limit,
    current_setting('row_security') as filtered, current_user as role`

  const settings = {
    datestyle: `'SQL, DMY'`,
    timezone: `'Asia/Kolkata'`,
    intervalstyle: `'iso_8601'`,
    standard_conforming_strings: 'off',
    array_nulls: 'off',
    transform_null_equals: 'on',
    extra_float_digits: '-5',
    bytea_output: 'escape',
    gin_fuzzy_search_limit: '5',
    idle_session_timeout: '600000',
    client_encoding: `'LATIN1'`,
    default_transaction_isolation: `'repeatable read'`,
    search_path: 'elsewhere, public',
    statement_timeout: '0',
    row_security: 'off',
  }

  it('does not depend on settings of the database or the role', async () => {
    const user = `tester_${randomBytes(6).toString('hex')}`
    await db.query(`create schema elsewhere; create table elsewhere.accounts as select from generate_series(1, 5)`)
    await db.query(`create role ${user} login; grant tenantry to ${user}`)
    await db.query(`grant usage on schema elsewhere to public; grant select on elsewhere.accounts to public`)
    const target = { ...db.target, user } as Target
    for (const whose of [`database ${nameOf(db.target)}`, `role ${user}`]) {
      for (const [name, value] of Object.entries(settings)) await db.query(`alter ${whose} set ${name} = ${value}`)
      assert.deepEqual(await ask(target, everything), expected)
    }
    await db.query(`drop role ${user}`)
  })

  it('does not depend on settings in the address', async () => {
    const wishes = [
      ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replace(/'/g, '').replace(/ /g, '\\ ')}`),
      '-c role=none',
    ].join(' ')
    const query =
      `&options=${encodeURIComponent(wishes)}&statement_timeout=0&query_timeout=1&lock_timeout=1&pipeline=false` +
      '&binary=true&client_encoding=LATIN1&application_name=other&connectionTimeoutMillis=1'
    assert.deepEqual(await ask({ connectionString: urlOf('tenantry', query) }, everything), expected)
  })

  it('uses other settings in the address', async () => {
    const connectionString = urlOf('tenantry', `&options=${encodeURIComponent('-c work_mem=5MB')}`)
    assert.deepEqual(await ask({ connectionString }, 'show work_mem'), { work_mem: '5MB' })
  })

  it('is opened with the password in the address', async () => {
    const user = `tester_${randomBytes(6).toString('hex')}`
    const password = `p@ss:w/rd ${randomUUID()}%`
    await db.query(`create role ${user} login password '${password}'; grant tenantry to ${user}`)
    const forget = await askPasswordOf(user)
    try {
      const isRefused = (url: string) =>
        ask({ connectionString: url }, 'select 1').then(
          () => false,
          (error) => error instanceof Problem && error.code === 'database_unavailable',
        )
      await until(() => isRefused(urlOf(user)))
      assert.equal(await isRefused(urlOf(`${user}:wrong`)), true)
      const right = { connectionString: urlOf(`${user}:${encodeURIComponent(password)}`) }
      assert.deepEqual(await ask(right, 'select session_user as name'), { name: user })
    } finally {
      await forget()
      await db.query(`drop role ${user}`)
    }
  })

  /** The test server asks no role for a password. Makes it ask this one until the returned function is called. */
  async function askPasswordOf(user: string): Promise<() => Promise<void>> {
    const file = path.join(host, 'pg_hba.conf')
    const line = `local all ${user} scram-sha-256\n`
    writeFileSync(file, line + readFileSync(file, 'utf8'))
    await db.query('select pg_reload_conf()')
    return async () => {
      writeFileSync(file, readFileSync(file, 'utf8').replace(line, ''))
      await db.query('select pg_reload_conf()')
    }
  }
})
