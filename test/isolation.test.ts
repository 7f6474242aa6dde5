import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { asAccount, asAnyone, inCompany } from '../src/database/scopes.ts'
import { useTestApp } from './support/app.ts'
import { createBranch } from './support/branches.ts'
import * as catalogue from './support/catalogue.ts'
import { plantDomain } from './support/domains.ts'
import { invite } from './support/invitations.ts'
import { addMember } from './support/members.ts'
import { type Person, signUp } from './support/people.ts'

const service = await useTestApp()
const ann = await signUp(service.client)
const bob = await signUp(service.client)
const tables = await catalogue.tablesOfCompanies(service.db)

before(async () => {
  for (const person of [ann, bob]) {
    const { id } = await createBranch(person)
    await person.api.patch(`/companies/users/${person.id}`, { branchIds: [id] })
    await offerOwnership(person)
    await plantDomain(service, person, person === ann ? bob : ann)
    await person.api.patch('/companies/audit/settings', { retentionDays: 365 })
    await person.api.get('/companies/audit/verify')
    await invite(person, { roles: ['Member'], branchIds: [id] })
    await person.api.post('/companies/invitation-links', {})
    const { id: formerId } = await addMember(person)
    await person.api.delete(`/companies/users/${formerId}`)
    await service.db.query('insert into former_owners (company_id, account_id, member_since) values ($1, $2, now())', [
      person.company.id,
      person.id,
    ])
  }
})

async function offerOwnership(owner: Person): Promise<void> {
  const { id: userId } = await addMember(owner)
  const { status } = await owner.api.post(`/companies/${owner.company.id}/ownership-transfer`, { userId })
  assert.equal(status, 201)
}

const asAnn = () => inCompany(ann.company.id, ann.id)
const list = (text: string, values: unknown[] = []) => catalogue.names(service.db, text, values)
const outcome = (scope: Parameters<typeof catalogue.outcome>[1], text: string, ...values: string[]) =>
  catalogue.outcome(service.database, scope, text, ...values)

describe('every view of companies', () => {
  it('reads with the rights and policies of the role that asks, and is never written through', async () => {
    const views = await catalogue.viewsOfCompanies(service.db)
    assert.deepEqual(views, ['open_memberships', 'usable_memberships'])
    for (const view of views) {
      const [relation] = await service.db.query('select reloptions from pg_class where relname = $1', [view])
      assert.deepEqual(relation?.reloptions, ['security_invoker=true'], view)
      assert.equal(await outcome(asAnn(), `select company_id from ${view}`), 2)
      assert.equal(await outcome(asAnn(), `select company_id from ${view} where company_id = ?`, bob.company.id), 0)
      assert.equal(await outcome(asAccount(bob.id), `select company_id from ${view}`), 1)
      assert.equal(
        await outcome(asAccount(bob.id), `select company_id from ${view} where company_id = ?`, ann.company.id),
        0,
      )
      assert.equal(await outcome(asAnyone, `select company_id from ${view}`), 0)
      const granted = await list(
        `select rolname as name from pg_roles
         where rolname like 'tenantry\\_%' and has_table_privilege(oid, $1, 'insert, update, delete')`,
        [view],
      )
      assert.deepEqual(granted, [])
    }
  })
})

describe('every table with a company', () => {
  it('is covered by these tests', () => {
    for (const table of [
      'roles',
      'memberships',
      'membership_roles',
      'branches',
      'membership_branches',
      'audit_records',
    ])
      assert.ok(tables.includes(table), table)
  })

  it('filters rows in company scope exactly by the current company', async () => {
    for (const table of ['companies', ...tables]) {
      const [flags] = await service.db.query(
        `select relkind, relrowsecurity from pg_class where relname = $1 and relnamespace = 'public'::regnamespace`,
        [table],
      )
      assert.deepEqual(flags, { relkind: 'r', relrowsecurity: true }, table)
      const policies = await service.db.query(
        `select cmd, permissive, qual, with_check from pg_policies
         where tablename = $1 and (roles && '{public,tenantry_tenant}')`,
        [table],
      )
      const column = table === 'companies' ? 'id' : 'company_id'
      const qual = `(${column} = ( SELECT current_company() AS current_company))`
      assert.deepEqual(policies, [{ cmd: 'ALL', permissive: 'PERMISSIVE', qual, with_check: null }], table)
    }
  })

  it('returns only rows of the company in company scope', async () => {
    for (const table of tables) {
      const [held] = await service.db.query(
        `select count(*) filter (where company_id = $1)::int as own, count(*) filter (where company_id = $2)::int as others
         from ${table}`,
        [ann.company.id, bob.company.id],
      )
      assert.ok(held?.others > 0, `${table} has no row of the other company: make one, or this proves nothing`)
      const found = await outcome(asAnn(), `select company_id from ${table}`)
      if (found !== 'refused') assert.equal(found, held?.own, table)
      const others = await outcome(asAnn(), `select company_id from ${table} where company_id = ?`, bob.company.id)
      assert.ok(others === 0 || others === 'refused', table)
    }
    assert.equal(await outcome(asAnn(), 'select id from companies'), 1)
    assert.equal(await outcome(asAnn(), 'select id from companies where id = ?', bob.company.id), 0)
  })

  it('prevents a company from changing, deleting, taking over or inserting rows of another one', async () => {
    const everythingOfBob = async () => {
      const rows = []
      for (const table of tables)
        rows.push(
          await service.db.query(`select * from ${table} where company_id = $1 order by 1, 2, 3`, [bob.company.id]),
        )
      return [...rows, await service.db.query('select * from companies where id = $1', [bob.company.id])]
    }
    const before = await everythingOfBob()
    for (const table of tables) {
      const attempts = {
        'take over': outcome(
          asAnn(),
          `update ${table} set company_id = ? where company_id = ?`,
          ann.company.id,
          bob.company.id,
        ),
        remove: outcome(asAnn(), `delete from ${table} where company_id = ?`, bob.company.id),
        'give away': outcome(asAnn(), `update ${table} set company_id = ?`, bob.company.id),
        plant: outcome(
          asAnn(),
          `insert into ${table} select * from json_populate_record(null::${table}, ?::json)`,
          await anyRow(table, bob.company.id),
        ),
      }
      for (const [what, attempt] of Object.entries(attempts)) {
        const came = await attempt
        const expected = what === 'give away' || what === 'plant' ? ['refused'] : [0, 'refused']
        assert.ok(expected.includes(came), `${what} ${table}: ${came}`)
      }
    }
    assert.equal(await outcome(asAnn(), `update companies set name = 'x' where id = ?`, bob.company.id), 0)
    assert.equal(await outcome(asAnn(), `update companies set id = ?`, bob.id), 'refused')
    assert.equal(await outcome(asAnn(), `delete from companies where id = ?`, bob.company.id), 'refused')
    assert.deepEqual(await everythingOfBob(), before)
  })

  const anyRow = async (table: string, companyId: string) => {
    const [row] = await service.db.query<{ row: object }>(
      `select to_json(${table}) as row from ${table} where company_id = $1 limit 1`,
      [companyId],
    )
    return JSON.stringify(row?.row)
  }

  it('returns only own rows in account scope, and none without a scope', async () => {
    for (const table of tables) {
      assert.ok([0, 'refused'].includes(await outcome(asAnyone, `select company_id from ${table}`)), table)
      const others = await outcome(
        asAccount(ann.id),
        `select company_id from ${table} where company_id = ?`,
        bob.company.id,
      )
      assert.ok([0, 'refused'].includes(others), table)
      for (const write of [`update ${table} set company_id = company_id`, `delete from ${table}`])
        assert.equal(await outcome(asAccount(ann.id), write), 'refused', write)
    }
    assert.equal(await outcome(asAccount(ann.id), 'select id from companies'), 1)
    assert.equal(await outcome(asAnyone, 'select id from companies'), 0)
  })

  it('has foreign keys only within the company', async () => {
    const crossing = await list(
      `select conrelid::regclass || '.' || conname as name
       from pg_constraint fk
       join pg_attribute own on own.attrelid = conrelid and own.attname = 'company_id'
       join pg_attribute other on other.attrelid = confrelid and other.attname = 'company_id'
       where contype = 'f' and not exists (
         select from unnest(conkey, confkey) as pair (a, b) where a = own.attnum and b = other.attnum)`,
    )
    assert.deepEqual(crossing, [])
    const [bobsRole] = await list('select id as name from roles where company_id = $1', [bob.company.id])
    const planting = outcome(
      asAnn(),
      'insert into membership_roles (account_id, role_id) values (?, ?)',
      ann.id,
      bobsRole as string,
    )
    await assert.rejects(planting, (error) => catalogue.codeOf(error) === '23503')
  })
})
