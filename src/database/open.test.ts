import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import {
  backendsRunning,
  type OpenDatabase,
  openTestDatabase,
  type SeededCompany,
  seedCompany,
  stateOf,
} from '../../test/support/postgres.ts'
import { until } from '../../test/support/until.ts'
import { problemFromDatabase } from './errors.ts'
import type { Tx } from './open.ts'
import { asAccount, asAnyone, asWorker, enterCompany, inCompany } from './scopes.ts'

let open: OpenDatabase
let acme: SeededCompany
let globex: SeededCompany
before(async () => {
  open = await openTestDatabase()
  acme = await seedCompany(open.db)
  globex = await seedCompany(open.db)
})
after(() => open.close())

async function onExclusive<Result>(look: (client: pg.ClientBase) => Promise<Result>): Promise<Result> {
  const client = await open.connections.exclusive()
  try {
    return await look(client)
  } finally {
    client.release()
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code
const fails = (work: Promise<unknown>, code: string) => assert.rejects(work, (error) => codeOf(error) === code)

describe('a scope', () => {
  it('finds the rows of its own company and no others', async () => {
    const tx = open.database.autocommit(inCompany(acme.id, acme.ownerId))
    for (const table of ['roles', 'memberships', 'membership_roles'] as const) {
      const rows = await tx.selectFrom(table).select('company_id').execute()
      assert.deepEqual(rows, [{ company_id: acme.id }], table)
    }
    assert.deepEqual(await tx.selectFrom('roles').select('id').where('id', '=', globex.ownerRoleId).execute(), [])
  })

  it('updates and inserts no row of another company', async () => {
    const scope = inCompany(acme.id, acme.ownerId)
    const rename = (tx: Tx) =>
      tx.updateTable('roles').set({ name: 'x' }).where('id', '=', globex.ownerRoleId).executeTakeFirstOrThrow()
    const role = { id: randomUUID(), name: 'Spy', name_folded: 'spy', permissions: [], company_id: globex.id }
    const plant = (tx: Tx) => tx.insertInto('roles').values(role).execute()
    assert.equal((await rename(open.database.autocommit(scope))).numUpdatedRows, 0n)
    assert.equal((await open.database.write(scope, rename)).numUpdatedRows, 0n)
    await fails(plant(open.database.autocommit(scope)), '42501')
    await fails(open.database.write(scope, plant), '42501')
  })

  it('gives no read the right to write on a connection that many share, also not by a function', async () => {
    await open.db.query(`create function write_quietly() returns text language sql security definer set search_path = public
      as $$ insert into password_attempts (email, failures) values ('quiet', 1) returning email $$`)
    await fails(sql`select write_quietly()`.execute(open.database.autocommit(asAnyone)), '25006')
    await open.database.write(asAnyone, (tx) => sql`select write_quietly()`.execute(tx))
    const { rows } = await sql`select email from password_attempts`.execute(open.database.autocommit(asAnyone))
    assert.deepEqual(rows, [{ email: 'quiet' }])
    await open.db.query('delete from password_attempts')
  })

  it('is required: without one a statement has no rights', async () => {
    const asking = 'select id from accounts'
    await fails(
      open.connections.shared((client) => client.query(asking)),
      '42501',
    )
    await onExclusive((client) => fails(client.query(asking), '42501'))
  })

  it('applies to each of two thousand parallel statements of two companies, some of which fail', async () => {
    const both = [acme, globex]
    const wrong: unknown[] = []
    const check = async (index: number) => {
      const company = both[index % 2] as SeededCompany
      const tx = open.database.autocommit(inCompany(company.id, company.ownerId))
      if (index % 7 === 0) return fails(sql`select 1 / (length(id::text) - 36) from roles`.execute(tx), '22012')
      if (index % 11 === 0) return fails(sql`select 'x${sql.raw(String(index))}'::uuid`.execute(tx), '22P02')
      const { rows } = await sql<{ company_id: string }>`select company_id from roles`.execute(tx)
      if (rows.length !== 1 || rows[0]?.company_id !== company.id) wrong.push(rows)
    }
    await Promise.all(Array.from({ length: 2000 }, (_, index) => check(index)))
    assert.deepEqual(wrong, [])
  })
})

describe('a connection has no scope left', () => {
  const scope = inCompany(randomUUID(), randomUUID())
  const pristine = {
    current_user: 'tenantry_none',
    role: 'tenantry_none',
    company: '',
    account: '',
    statement_timeout: '1700ms',
    no_transaction: true,
  }
  const pidFrom = async (tx: Tx) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)).rows[0]?.pid as number

  const failing = {
    'a division by zero': (tx: Tx) => sql`select 1 / (select 0)`.execute(tx),
    'a column that is not there': (tx: Tx) => sql`select nothing from roles`.execute(tx),
    'a missing right': (tx: Tx) => sql`select hash from passwords`.execute(tx),
    'a value that is no UUID': (tx: Tx) => sql`select id from roles where id = ${'x'}`.execute(tx),
    'a broken constraint': (tx: Tx) =>
      sql`insert into memberships (account_id) values (${randomUUID()}), (null)`.execute(tx),
    'a cancellation': async (tx: Tx) => {
      const text = `select pg_sleep(5), '${randomUUID()}'`
      const sleeping = sql.raw(text).execute(tx)
      sleeping.catch(() => {})
      await until(async () => (await backendsRunning(open.db, text)).length === 1)
      for (const pid of await backendsRunning(open.db, text)) await open.db.query('select pg_cancel_backend($1)', [pid])
      return sleeping
    },
  }

  for (const [what, statement] of Object.entries({ 'an answer': pidFrom, ...failing })) {
    it(`after ${what} on a shared connection`, async () => {
      const tx = open.database.autocommit(scope)
      const pid = await pidFrom(tx)
      await statement(tx).then(
        () => assert.equal(statement, pidFrom),
        () => assert.notEqual(statement, pidFrom),
      )
      assert.deepEqual(await open.connections.shared(stateOf), { ...pristine, pid })
    })

    it(`after ${what} in a transaction`, async () => {
      let pid = 0
      const writing = open.database.write(scope, async (tx) => {
        pid = await pidFrom(tx)
        await statement(tx)
      })
      await writing.catch(() => {})
      assert.deepEqual(await onExclusive(stateOf), { ...pristine, pid })
    })
  }

  it('after a write of one statement', async () => {
    const alone = (text: string) => sql.raw(text).execute(open.database.autocommit({ ...asWorker, companyId: acme.id }))
    await alone(`with pid as (select 1) select * from pid`)
    await fails(alone('delete from accounts'), '42501')
    const { pid: _, ...state } = await onExclusive(stateOf)
    assert.deepEqual(state, pristine)
  })

  it('after a transaction that changed its scope', async () => {
    await open.database.write(asAnyone, (tx) => enterCompany(tx, acme.id, acme.ownerId))
    const { pid: _, ...state } = await onExclusive(stateOf)
    assert.deepEqual(state, pristine)
  })
})

describe('a transaction', () => {
  const names = async () => (await open.db.query('select name from accounts where id = $1', [acme.ownerId]))[0]?.name
  const rename = (tx: Tx, id: string, name: string) =>
    tx.updateTable('accounts').set({ name }).where('id', '=', id).execute()

  it('is committed before write() resolves', async () => {
    await open.database.write(asAnyone, (tx) => rename(tx, acme.ownerId, 'Ann'))
    assert.equal(await names(), 'Ann')
  })

  it('is rolled back when the work throws', async () => {
    const reason = new Error('changed my mind')
    const writing = open.database.write(asAnyone, async (tx) => {
      await rename(tx, acme.ownerId, 'Bob')
      throw reason
    })
    await assert.rejects(writing, reason)
    assert.equal(await names(), 'Ann')
  })

  it('that failed throws even when the work catches the error', async () => {
    const writing = open.database.write(asAnyone, async (tx) => {
      await rename(tx, acme.ownerId, 'Bob')
      await sql`select 1 / 0`.execute(tx).catch(() => {})
      return 'done'
    })
    await assert.rejects(writing, /had failed before its commit/)
    assert.equal(await names(), 'Ann')
  })

  it('runs again after a deadlock', async () => {
    let runs = 0
    const bothHold = Promise.withResolvers<void>()
    const hold = async (first: string, second: string) =>
      open.database.write(asAnyone, async (tx) => {
        await rename(tx, first, 'locked')
        if (++runs === 2) bothHold.resolve()
        await bothHold.promise
        await rename(tx, second, `by ${first}`)
      })
    await Promise.all([hold(acme.ownerId, globex.ownerId), hold(globex.ownerId, acme.ownerId)])
    assert.ok(runs > 2, `${runs} runs`)
  })

  it('runs again after a serialization failure, four times at most in all', async () => {
    const failTimes = (times: number) => {
      let runs = 0
      return open.database.write(asAnyone, async (tx) => {
        if (runs++ < times) await sql`do $$ begin raise exception using errcode = '40001'; end $$`.execute(tx)
        return runs
      })
    }
    assert.equal(await failTimes(3), 4)
    await assert.rejects(failTimes(4), (error) => problemFromDatabase(error)?.code === 'database_unavailable')
  })

  it('throws its first error when several statements are under way', async () => {
    const writing = open.database.write(asAnyone, async (tx) => {
      const taken = sql`insert into accounts (id, email, name)
        select gen_random_uuid(), email, 'x' from accounts where id = ${acme.ownerId}`.execute(tx)
      const other = tx.selectFrom('accounts').select('id').execute()
      taken.catch(() => {})
      await other
    })
    await assert.rejects(writing, (error) => problemFromDatabase(error)?.code === 'email_taken')
  })

  it('refuses statements after its end, because its connection may be in use for another request', async () => {
    let late: Promise<unknown> | undefined
    const refused = /had ended/
    await open.database.write(inCompany(acme.id, acme.ownerId), async (tx) => {
      await sql`select 1`.execute(tx)
      late = pause(20).then(() => sql`select 1`.execute(tx))
      late.catch(() => {})
    })
    await assert.rejects(late as Promise<unknown>, refused)

    const writing = open.database.write(inCompany(acme.id, acme.ownerId), (tx) =>
      Promise.all([
        sql`select 1 / 0`.execute(tx),
        pause(20).then(() => {
          late = sql`select 1`.execute(tx)
          late.catch(() => {})
        }),
      ]),
    )
    await assert.rejects(writing)
    await pause(30)
    await assert.rejects(late as Promise<unknown>, refused)
  })

  it('can’t be begun by the query builder, whose transactions have no effect', async () => {
    const tx = open.database.autocommit(asAccount(acme.ownerId))
    await assert.rejects(
      tx.transaction().execute(async () => {}),
      /Database\.write/,
    )
    await assert.rejects(tx.startTransaction().execute(), /Database\.write/)
  })
})
