import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it, mock } from 'node:test'
import type pg from 'pg'
import {
  assertUnavailable,
  backendsRunning,
  type Network,
  type OpenDatabase,
  openTestDatabase,
  type SeededCompany,
  seedCompany,
  startNetwork,
  stateOf,
} from '../../test/support/postgres.ts'
import { until } from '../../test/support/until.ts'
import { FrontendMessages } from './frontend-messages.ts'
import { asAnyone, inCompany } from './scopes.ts'
import { beginStep, type Scope, type Statement, type StatementResult, scopeSteps, sendAll } from './statements.ts'

let open: OpenDatabase
let acme: SeededCompany
let globex: SeededCompany
before(async () => {
  open = await openTestDatabase()
  acme = await seedCompany(open.db)
  globex = await seedCompany(open.db)
})
after(() => open.close())

const statement = (sql: string, ...parameters: unknown[]): Statement => ({ sql, parameters })
/** A text that no connection has prepared yet. */
const newText = () => `select $1::text as value, '${randomUUID()}' as id`
const number = (value: number) => statement('select $1::integer as value', value)
const FAILING = statement('select 1 / $1::integer as value', 0)
const DIVISION_BY_ZERO = '22012'
const optionsOf = (scope: Scope) => ({ steps: scopeSteps(scope), slow: false })

/** One sync on a shared connection. */
function together(statements: Statement[], scope: Scope = asAnyone, { connections } = open) {
  return connections.shared((client) => Promise.allSettled(sendAll(client, statements, optionsOf(scope))))
}

/** One sync on a connection of its own, where statements may write. */
const togetherAlone = (statements: Statement[], scope: Scope = asAnyone) =>
  onExclusive((client) => Promise.allSettled(sendAll(client, statements, optionsOf(scope))))

async function onExclusive<Result>(work: (client: pg.ClientBase) => Promise<Result>): Promise<Result> {
  const client = await open.connections.exclusive()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

const [PARSE, CLOSE] = ['P', 'C']

/** Of the messages that name a prepared statement to begin or to end it: their types and its name. */
function namesIn(bytes: Buffer): string[][] {
  const names: string[][] = []
  for (let at = 0; at < bytes.length; ) {
    const type = String.fromCharCode(bytes[at] as number)
    const length = bytes.readInt32BE(at + 1)
    const nameAt = at + 5 + (type === CLOSE ? 1 : 0)
    if ([PARSE, CLOSE].includes(type)) names.push([type, bytes.toString('utf8', nameAt, bytes.indexOf(0, nameAt))])
    at += 1 + length
  }
  return names
}

const rowsOf = (results: PromiseSettledResult<StatementResult>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? result.value.rows : result.reason.code))

describe('several statements in one sync', () => {
  it('have one result each, in their order, whether they are new or known to the connection', async () => {
    for (const text of [newText(), newText()]) {
      for (let round = 0; round < 3; round++) {
        const results = await together([number(1), statement(text, 'é'), number(2), statement(text, null)])
        const id = /'(.+)'/.exec(text)?.[1]
        assert.deepEqual(rowsOf(results), [[{ value: 1 }], [{ value: 'é', id }], [{ value: 2 }], [{ value: null, id }]])
      }
    }
  })

  it('return no rows, many rows, and the number of rows that a write changed', async () => {
    const email = randomUUID()
    const results = await togetherAlone([
      statement('select generate_series(1, 3) as value'),
      statement('select email from password_attempts where email = $1', email),
      statement(`set local datestyle = 'ISO'`),
      statement('insert into password_attempts (email, failures) select $1, 1', email),
    ])
    const seen = results.map((result) => result.status === 'fulfilled' && { ...result.value })
    assert.deepEqual(seen, [
      { command: 'SELECT', rowCount: 3, rows: [{ value: 1 }, { value: 2 }, { value: 3 }] },
      { command: 'SELECT', rowCount: 0, rows: [] },
      { command: 'SET', rowCount: null, rows: [] },
      { command: 'INSERT', rowCount: 1, rows: [] },
    ])
  })

  it('fail from the first one that fails, and the ones before it keep their results', async () => {
    for (const at of [0, 1, 2]) {
      const statements = [1, 2, 3].map((value, index) => (index === at ? FAILING : number(value)))
      const expected = [1, 2, 3].map((value, index) => (index < at ? [{ value }] : DIVISION_BY_ZERO))
      assert.deepEqual(rowsOf(await together(statements)), expected)
    }
    assert.deepEqual(rowsOf(await together([number(4)])), [[{ value: 4 }]])
  })

  it('fail all when their scope does', async () => {
    const results = await together([number(1), number(2)], { role: 'unknown_role' as 'tenantry_tenant' })
    assert.deepEqual(rowsOf(results), ['22023', '22023'])
  })

  it('are one transaction, of which nothing is left after a failure', async () => {
    const email = randomUUID()
    const insert = statement('insert into password_attempts (email, failures) values ($1, 1)', email)
    await togetherAlone([insert, FAILING])
    assert.deepEqual(await open.db.query('select email from password_attempts where email = $1', [email]), [])
  })

  it('resolve the last only after the commit, which may fail', async () => {
    const withoutOwner = statement('delete from membership_roles where company_id = $1', globex.id)
    const results = await togetherAlone([number(1), withoutOwner], inCompany(globex.id, globex.ownerId))
    assert.equal(results[0]?.status, 'fulfilled')
    assert.equal((results[1] as PromiseRejectedResult).reason.constraint, 'company_has_owner')
  })

  it('see what the ones before them did', async () => {
    const scope = inCompany(acme.id, acme.ownerId)
    const enter = statement(`select set_config('app.company_id', $1, true)`, globex.id)
    const read = statement('select id from companies')
    assert.deepEqual(
      rowsOf(await together([read, enter, read], scope)).filter((_, index) => index !== 1),
      [[{ id: acme.id }], [{ id: globex.id }]],
    )
    assert.deepEqual(rowsOf(await together([read], scope)), [[{ id: acme.id }]])
  })

  it('run in an open transaction', async () => {
    await onExclusive(async (client) => {
      const [first] = sendAll(client, [number(1), number(2)], {
        steps: [beginStep, ...scopeSteps(asAnyone)],
        slow: false,
      })
      assert.deepEqual((await first)?.rows, [{ value: 1 }])
      const results = await Promise.allSettled(sendAll(client, [number(3), FAILING], { steps: [], slow: false }))
      assert.deepEqual(rowsOf(results), [[{ value: 3 }], DIVISION_BY_ZERO])
      assert.equal((await client.query('commit')).command, 'ROLLBACK')
    })
  })

  it('of one turn of the event loop leave together, in their order beside what the driver sends by itself', async () => {
    await onExclusive(async (client) => {
      await Promise.all(sendAll(client, [number(1)], optionsOf(asAnyone)))
      const { stream } = (client as unknown as { connection: { stream: { _writev(): void } } }).connection
      const handOver = mock.method(stream, '_writev')
      const begin = { steps: [beginStep, ...scopeSteps(asAnyone)], slow: false }
      const results = [
        ...sendAll(client, [number(1), number(2)], begin),
        client.query('rollback'),
        client.query('select statement_timestamp() = transaction_timestamp() as value'),
        ...sendAll(client, [number(3)], optionsOf(asAnyone)),
      ]
      const rows = (await Promise.all(results)).map(({ rows }) => rows)
      assert.deepEqual(rows, [[{ value: 1 }], [{ value: 2 }], [], [{ value: true }], [{ value: 3 }]])
      assert.equal(handOver.mock.callCount(), 1)
      handOver.mock.restore()
    })
  })

  it('that are new and fail, or come behind one that fails, can be sent again', async () => {
    for (let round = 0; round < 20; round++) {
      const [before, failing, behind] = [newText(), `select 1 / $1::integer, '${randomUUID()}'`, newText()]
      const unknown = `select from missing_table where '${randomUUID()}' <> ''`
      const [first, beside] = await Promise.all([
        together([statement(before, 'a'), statement(failing, 0), statement(unknown), statement(behind, 'b')]),
        together([statement(before, 'a')]),
      ])
      assert.deepEqual(rowsOf(first).slice(1), [DIVISION_BY_ZERO, DIVISION_BY_ZERO, DIVISION_BY_ZERO])
      assert.equal(beside[0]?.status, 'fulfilled')
      const again = await together([statement(before, 'a'), statement(failing, 1), statement(behind, 'b')])
      assert.ok(again.every(({ status }) => status === 'fulfilled'))
      assert.deepEqual(rowsOf(await together([statement(unknown)])), ['42P01'])
    }
  })

  it('that were skipped are closed before they are prepared again, because PgBouncer accepts a name once', async () => {
    await onExclusive(async (client) => {
      const take = mock.method(FrontendMessages.prototype, 'take')
      const [failing, behind] = [`select 1 / $1::integer, '${randomUUID()}'`, newText()]
      const send = async (...statements: Statement[]) => {
        await Promise.allSettled(sendAll(client, statements, optionsOf(asAnyone)))
        return namesIn(take.mock.calls.at(-1)?.result as Buffer)
      }
      const first = await send(statement(failing, 0), statement(behind, 'b'))
      const again = await send(statement(failing, 1), statement(behind, 'b'))
      const known = await send(statement(failing, 1), statement(behind, 'b'))
      take.mock.restore()
      const [, name] = first[1] as string[]
      assert.deepEqual(
        first.map(([type]) => type),
        [PARSE, PARSE],
      )
      assert.deepEqual(
        [again, known],
        [
          [
            [CLOSE, name],
            [PARSE, name],
          ],
          [],
        ],
      )
    })
  })

  it('are not sent at all when a value can’t be encoded', async () => {
    const [text, email] = [newText(), randomUUID()]
    const insert = statement('insert into password_attempts (email, failures) values ($1, 1)', email)
    const results = await togetherAlone([insert, statement(text, { size: 1n }), number(1)])
    for (const result of results) assert.ok(result.status === 'rejected' && result.reason instanceof TypeError)
    assert.equal((await together([statement(text, 'x')]))[0]?.status, 'fulfilled')
    assert.deepEqual(await open.db.query('select email from password_attempts where email = $1', [email]), [])
  })

  it('that are left without a look end nothing when they fail', async () => {
    await open.connections.shared(async (client) => {
      const [first, second] = sendAll(client, [number(1), FAILING, number(3)], optionsOf(asAnyone))
      assert.deepEqual((await first)?.rows, [{ value: 1 }])
      await assert.rejects(second as Promise<unknown>, { code: DIVISION_BY_ZERO })
    })
  })

  it('keep their scope to themselves, two thousand in parallel, of which some fail', async () => {
    const wrong: unknown[] = []
    const check = async (index: number) => {
      const company = [acme, globex][index % 2] as SeededCompany
      const read = statement('select id from companies where $1::integer > 0', index + 1)
      const failing = index % 5 === 0
      const statements = failing ? [read, FAILING, read] : [read, number(index), read]
      const results = rowsOf(await together(statements, inCompany(company.id, company.ownerId)))
      const own = [{ id: company.id }]
      const expected = failing ? [own, DIVISION_BY_ZERO, DIVISION_BY_ZERO] : [own, [{ value: index }], own]
      if (JSON.stringify(results) !== JSON.stringify(expected)) wrong.push(results)
    }
    await Promise.all(Array.from({ length: 2000 }, (_, index) => check(index)))
    assert.deepEqual(wrong, [])
    const left = await open.connections.shared(stateOf)
    assert.equal(left.current_user, 'tenantry_none')
    assert.deepEqual([left.company, left.account], ['', ''])
  })
})

describe('several statements in one sync that are ended', () => {
  const sleeping = (id: string) => statement(`select pg_sleep($1::float), '${id}'`, 5)

  async function whileSleeping(end: (pid: number) => Promise<unknown>) {
    const id = randomUUID()
    const ended = together([number(1), sleeping(id), number(3)])
    await until(async () => (await backendsRunning(open.db, id)).length === 1)
    await end((await backendsRunning(open.db, id))[0] as number)
    return ended
  }

  it('by a cancellation fail from the one under way', async () => {
    const results = await whileSleeping((pid) => open.db.query('select pg_cancel_backend($1)', [pid]))
    assert.deepEqual(rowsOf(results), [[{ value: 1 }], '57014', '57014'])
    assert.deepEqual(rowsOf(await together([number(1), number(2)])), [[{ value: 1 }], [{ value: 2 }]])
  })

  it('by the end of the connection fail from the one under way', async () => {
    const results = await whileSleeping((pid) => open.db.query('select pg_terminate_backend($1)', [pid]))
    for (const result of results.slice(1)) assert.equal(result.status, 'rejected')
    await until(async () => (await together([number(1)]).catch(() => []))[0]?.status === 'fulfilled')
  })

  it('by a time limit fail from the one under way', async () => {
    const results = await together([number(1), sleeping(randomUUID()), number(3)])
    assert.deepEqual(rowsOf(results), [[{ value: 1 }], '57014', '57014'])
  })

  it('by a silent network fail with 503, and by a broken one', async () => {
    const network: Network = await startNetwork(open.db)
    const remote = await openTestDatabase({ target: network.target, db: open.db })
    const values = [number(1), number(2)]
    const send = () => remote.connections.shared((client) => Promise.all(sendAll(client, values, optionsOf(asAnyone))))
    try {
      await send()
      network.silence()
      await Promise.all(Array.from({ length: 10 }, () => assertUnavailable(send())))
      network.resume()
      await send()
      const cut = assertUnavailable(send())
      await network.cut()
      await cut
    } finally {
      await remote.close()
      await network.close()
    }
  })
})
