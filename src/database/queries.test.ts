import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Kysely, PostgresDialect } from 'kysely'
import { type OpenDatabase, openTestDatabase, type SeededCompany, seedCompany } from '../../test/support/postgres.ts'
import { statement } from './queries.ts'
import type { Schema } from './schema.ts'
import { asAnyone, inCompany } from './scopes.ts'

let open: OpenDatabase
let acme: SeededCompany
before(async () => {
  open = await openTestDatabase()
  acme = await seedCompany(open.db)
})
after(() => open.close())

describe('a statement of constant text', () => {
  const findRole = statement<{ name: string; company_id: string }, [name: string]>(
    'select name, company_id from roles where name = $1',
  )
  const addAttempt = statement<{ failures: number }, [email: string, failures: number]>(
    'insert into password_attempts (email, failures) values ($1, $2) returning failures',
  )

  it('has the scope of its handle', async () => {
    const own = inCompany(acme.id, acme.ownerId)
    const expected = [{ name: 'Owner', company_id: acme.id }]
    assert.deepEqual(await findRole(open.database.autocommit(own), 'Owner'), expected)
    assert.deepEqual(await open.database.write(own, (tx) => findRole(tx, 'Owner')), expected)
    assert.deepEqual(await findRole(open.database.autocommit(inCompany(randomUUID(), '')), 'Owner'), [])
  })

  it('belongs to the transaction of its handle', async () => {
    const email = randomUUID()
    const writing = open.database.write(asAnyone, async (tx) => {
      assert.deepEqual(await addAttempt(tx, email, 3), [{ failures: 3 }])
      throw new Error('changed my mind')
    })
    await assert.rejects(writing, /changed my mind/)
    assert.deepEqual(await addAttempt(open.database.autocommit(asAnyone), email, 4), [{ failures: 4 }])
  })

  it('fails as any other', async () => {
    const tx = open.database.autocommit(asAnyone)
    const email = randomUUID()
    await addAttempt(tx, email, 1)
    await assert.rejects(addAttempt(tx, email, 1), { code: '23505' })
  })

  it('runs on no other handle', async () => {
    const foreign = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: () => Promise.reject(new Error()) }) })
    await assert.rejects(findRole(foreign, 'Owner'), /not made by this service/)
  })
})

it('a builder’s query counts the rows that it changed', async () => {
  const tx = open.database.autocommit(asAnyone)
  const attempts = [1, 2].map((failures) => ({ email: randomUUID(), failures }))
  const inserted = await tx.insertInto('password_attempts').values(attempts).executeTakeFirstOrThrow()
  assert.equal(inserted.numInsertedOrUpdatedRows, 2n)
  const emails = attempts.map(({ email }) => email)
  const deleted = await tx.deleteFrom('password_attempts').where('email', 'in', emails).executeTakeFirstOrThrow()
  assert.equal(deleted.numDeletedRows, 2n)
})
