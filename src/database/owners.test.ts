import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { type OpenDatabase, openTestDatabase, type SeededCompany, seedCompany } from '../../test/support/postgres.ts'
import { problemFromDatabase } from './errors.ts'
import { asAccount, enterCompany, inCompany } from './scopes.ts'

let open: OpenDatabase
before(async () => {
  open = await openTestDatabase()
})
after(() => open.close())

const inIt = ({ id, ownerId }: SeededCompany, ...statements: RawBuilder<unknown>[]) =>
  open.database.write(inCompany(id, ownerId), async (tx) => {
    for (const statement of statements) await statement.execute(tx)
  })
const isLastOwner = (error: unknown) => problemFromDatabase(error)?.code === 'last_owner'

async function listOwners({ id }: SeededCompany): Promise<number> {
  const [row] = await open.db.query<{ count: number }>(
    `select count(*)::int as count from membership_roles
     join memberships using (company_id, account_id) join roles on roles.id = role_id
     where memberships.company_id = $1 and system_key = 'owner' and status = 'active'`,
    [id],
  )
  return row?.count ?? 0
}

/** Adds another owner to the company, and returns the account. */
async function addOwner({ id, ownerRoleId }: SeededCompany): Promise<string> {
  const accountId = randomUUID()
  await open.db.query(`
    insert into accounts (id, email, name) values ('${accountId}', '${accountId}@example.com', 'Second');
    insert into memberships (company_id, account_id, opened_at) values ('${id}', '${accountId}', now());
    insert into membership_roles (company_id, account_id, role_id) values ('${id}', '${accountId}', '${ownerRoleId}')`)
  return accountId
}

const detach = (accountId: string) => sql`delete from memberships where account_id = ${accountId}`
const deactivate = (accountId: string) =>
  sql`update memberships set status = 'inactive' where account_id = ${accountId}`
const takeRoles = (accountId: string) => sql`delete from membership_roles where account_id = ${accountId}`

describe('the only owner of a company', () => {
  const memberRoleId = randomUUID()
  const newMemberRole = sql`insert into roles (id, name, name_folded, permissions, system_key)
    values (${memberRoleId}, 'Member', 'member', '{}', 'member')`
  const ways: Record<string, (company: SeededCompany) => RawBuilder<unknown>[]> = {
    'be detached': ({ ownerId }) => [detach(ownerId)],
    'be deactivated': ({ ownerId }) => [deactivate(ownerId)],
    'lose the role': ({ ownerId }) => [takeRoles(ownerId)],
    'get another role instead': ({ ownerId }) => [
      newMemberRole,
      sql`insert into membership_roles (account_id, role_id) values (${ownerId}, ${memberRoleId})`,
      sql`delete from membership_roles where account_id = ${ownerId} and role_id <> ${memberRoleId}`,
    ],
    'find the role to be no Owner any more': () => [sql`update roles set system_key = null where system_key = 'owner'`],
    'be removed with the role': ({ ownerId }) => [
      takeRoles(ownerId),
      sql`delete from roles where system_key = 'owner'`,
    ],
  }
  for (const [what, statements] of Object.entries(ways)) {
    it(`can't ${what}`, async () => {
      const company = await seedCompany(open.db)
      await assert.rejects(inIt(company, ...statements(company)), isLastOwner)
      assert.equal(await listOwners(company), 1)
    })
  }

  it('can be removed in the transaction that adds another one', async () => {
    const company = await seedCompany(open.db)
    const newOwnerId = await addOwner(company)
    await inIt(company, takeRoles(newOwnerId))
    await inIt(
      company,
      takeRoles(company.ownerId),
      sql`insert into membership_roles (account_id, role_id) values (${newOwnerId}, ${company.ownerRoleId})`,
    )
    assert.equal(await listOwners(company), 1)
  })
})

/** A machine that is too busy for another try answers with the deadlock of two changes. */
const untilDecided = (company: SeededCompany, change: RawBuilder<unknown>) =>
  inIt(company, change).catch((error) => {
    if (problemFromDatabase(error)?.code !== 'database_unavailable') throw error
    return inIt(company, change)
  })

it('keeps one owner when two remove each other at the same time, by every pair of changes', async () => {
  const ways = [detach, deactivate, takeRoles]
  for (let round = 0; round < 51; round++) {
    const company = await seedCompany(open.db)
    const [ann, bob] = [company.ownerId, await addOwner(company)]
    const [first, second] = [ways[round % 3], ways[Math.floor(round / 3) % 3]] as [typeof detach, typeof detach]
    const results = await Promise.allSettled([untilDecided(company, first(bob)), untilDecided(company, second(ann))])
    const refused = results.filter((result) => result.status === 'rejected')
    assert.equal(refused.length, 1, JSON.stringify(results))
    assert.ok(isLastOwner(refused[0]?.reason), String(refused[0]?.reason))
    assert.equal(await listOwners(company), 1)
  }
})

it('lets members be changed while others record something in the company', async () => {
  const company = await seedCompany(open.db)
  const other = await addOwner(company)
  await open.db.query('begin')
  try {
    // As the foreign key of an audit record does until its transaction ends.
    await open.db.query('select from companies where id = $1 for key share', [company.id])
    await inIt(company, deactivate(other))
    await inIt(company, detach(other))
  } finally {
    await open.db.query('rollback')
  }
  assert.equal(await listOwners(company), 1)
})

it('creates no company without an owner', async () => {
  const [id, { ownerId }] = [randomUUID(), await seedCompany(open.db)]
  const creating = open.database.write(asAccount(ownerId), async (tx) => {
    await enterCompany(tx, id, ownerId)
    await tx.insertInto('companies').values({ id, name: 'Acme', slug: id, tax_id: 'T' }).execute()
  })
  await assert.rejects(creating, isLastOwner)
  assert.deepEqual(await open.db.query('select id from companies where id = $1', [id]), [])
})

it('restores no company without an owner', async () => {
  const company = await seedCompany(open.db)
  await inIt(company, sql`update companies set deleted_at = now()`)
  await inIt(company, takeRoles(company.ownerId))
  await assert.rejects(inIt(company, sql`update companies set deleted_at = null`), isLastOwner)
})
