import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Tx } from '../src/database/open.ts'
import type { Scope } from '../src/database/statements.ts'
import { asAccount, asAnyone, asWorker, inCompany } from '../src/database/tenancy.ts'
import { startTestApp, type TestApp } from './support/app.ts'
import { type Person, signUp } from './support/people.ts'

let service: TestApp
let ann: Person
let bob: Person
let tables: string[]
before(async () => {
  service = await startTestApp()
  ann = await signUp(service.client)
  bob = await signUp(service.client)
  tables = await tablesOfCompanies()
})
after(() => service.close())

const ROLES = ['tenantry_none', 'tenantry_account', 'tenantry_tenant', 'tenantry_worker']

const list = async (text: string, values: unknown[] = []) =>
  (await service.db.query<{ name: string }>(text, values)).map(({ name }) => name)

/** Whatever holds rows of companies: also views, which would show them past the policies of the tables below. */
const tablesOfCompanies = () =>
  list(`select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
      and attname = 'company_id' and not attisdropped order by 1`)

const asAnn = () => inCompany(ann.company.id, ann.id)
const codeOf = (error: unknown) => (error as { code?: string }).code

/** What came of a statement in a scope: how many rows it found or changed, or that it was refused. */
async function outcome(scope: Scope, text: string, ...values: string[]): Promise<number | 'refused'> {
  const parts = text.split('?').map((part) => sql.raw(part))
  const statement = parts.slice(1).reduce((left, part, index) => sql`${left}${values[index]}${part}`, parts[0] ?? sql``)
  const work = async (tx: Tx) => {
    const { rows, numAffectedRows } = await statement.execute(tx)
    return numAffectedRows === undefined ? rows.length : Number(numAffectedRows)
  }
  return service.database.write(scope, work).catch((error) => {
    if (codeOf(error) === '42501') return 'refused'
    throw error
  })
}

describe('every table of companies', () => {
  it('is known to these tests', () => {
    for (const table of ['roles', 'memberships', 'membership_roles', 'audit_records'])
      assert.ok(tables.includes(table), table)
  })

  it('filters its rows for company requests by the current company, and by nothing else', async () => {
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
      const qual = `(${column} = current_company())`
      assert.deepEqual(policies, [{ cmd: 'ALL', permissive: 'PERMISSIVE', qual, with_check: null }], table)
    }
  })

  it('shows a company its own rows and no others', async () => {
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

  it('lets a company change, remove, take over or plant no row of another one', async () => {
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

  it('shows an account only what is its own, and nobody nothing', async () => {
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

  it('is left by references only within the company', async () => {
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
    await assert.rejects(planting, (error) => codeOf(error) === '23503')
  })
})

describe('a database role of the service', () => {
  it('has no right that passes the policies, and owns nothing', async () => {
    const roles = await service.db.query(
      `select rolname, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolcanlogin or rolreplication as mighty,
         exists (select from pg_auth_members where member = pg_roles.oid) as member_of_another,
         exists (select from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = pg_roles.oid
           and deptype = 'o') as owner,
         has_schema_privilege(oid, 'public', 'create') as creates
       from pg_roles where rolname like 'tenantry\\_%' order by 1`,
    )
    const harmless = { mighty: false, member_of_another: false, owner: false, creates: false }
    assert.deepEqual(
      roles,
      [...ROLES].sort().map((rolname) => ({ rolname, ...harmless })),
    )
  })

  it('is none of the tables’ own', async () => {
    const owners = await list(
      `select distinct relowner::regrole::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    )
    assert.deepEqual(owners, ['tenantry'])
  })

  it('tenantry_none reads and writes nothing', async () => {
    const granted = await list(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
         and (has_table_privilege('tenantry_none', oid, 'select, insert, update, delete, truncate, references, trigger')
           or has_any_column_privilege('tenantry_none', oid, 'select, insert, update, references'))`,
    )
    assert.deepEqual(granted, [])
  })

  it('reads no more tables than its work needs', async () => {
    const readableBy = (role: string) =>
      list(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
           and has_any_column_privilege($1, oid, 'select') order by 1`,
        [role],
      )
    const secrets = [
      'letters',
      'one_time_links',
      'passwords',
      'schema_migrations',
      'sessions',
      'sign_in_attempts',
      'known_networks',
    ]
    const tenant = await readableBy('tenantry_tenant')
    assert.deepEqual(
      tenant.filter((table) => secrets.includes(table)),
      [],
    )
    assert.deepEqual(tenant.filter((table) => !tables.includes(table)).sort(), ['accounts', 'companies'])
    const worker = await readableBy('tenantry_worker')
    assert.deepEqual(
      worker.filter((table) => ['accounts', 'companies', ...tables].includes(table)),
      [],
    )
    const account = await readableBy('tenantry_account')
    assert.deepEqual(
      account.filter((table) => ['letters', 'audit_records', 'schema_migrations'].includes(table)),
      [],
    )
  })

  it('changes or removes no audit record', async () => {
    for (const right of ['update', 'delete', 'truncate']) {
      const able = await list(
        `select rolname as name from pg_roles where rolname = any ($1) and has_table_privilege(oid, 'audit_records', $2)`,
        [ROLES, right],
      )
      assert.deepEqual(able, [], right)
    }
    const scopes = [asAnn(), asAccount(ann.id), asAnyone, asWorker]
    for (const scope of scopes) {
      assert.equal(await outcome(scope, `update audit_records set outcome = 'x'`), 'refused')
      assert.equal(await outcome(scope, 'delete from audit_records'), 'refused')
    }
  })

  it('writes audit records only where it acts', async () => {
    const insert = `insert into audit_records (id, company_id, action, outcome, target_type) values (gen_random_uuid(), ?::uuid, 'x', 'x', 'x')`
    const nowhere = insert.replace('?::uuid', 'null')
    assert.equal(await outcome(asAnn(), insert, bob.company.id), 'refused')
    assert.equal(await outcome(asAnn(), nowhere), 'refused')
    assert.equal(await outcome(asAccount(ann.id), insert, ann.company.id), 'refused')
    assert.equal(await outcome(asWorker, nowhere), 'refused')
  })

  it('sees of accounts, in a company, its members and their public columns only', async () => {
    assert.equal(await outcome(asAnn(), 'select id from accounts'), 1)
    assert.equal(await outcome(asAnn(), 'select id from accounts where id = ?', bob.id), 0)
    const readable = await list(
      `select attname as name from pg_attribute where attrelid = 'accounts'::regclass and attnum > 0 and not attisdropped
         and has_column_privilege('tenantry_tenant', attrelid, attnum, 'select') order by 1`,
    )
    const shown = [
      'avatar_url',
      'document_number',
      'document_type',
      'email',
      'id',
      'locale',
      'must_change_password',
      'name',
    ]
    assert.deepEqual(readable, [...shown, 'phone', 'position'].sort())
    for (const write of [
      `update accounts set name = 'x'`,
      'delete from accounts',
      `insert into accounts (id) values (null)`,
    ])
      assert.equal(await outcome(asAnn(), write), 'refused')
  })
})

describe('a function that sees past the policies', () => {
  const definers = `from pg_proc where pronamespace = 'public'::regnamespace and prosecdef`

  it('looks for names in fixed schemas, temporary tables last', async () => {
    const loose = await list(`select proname as name ${definers} and not coalesce(proconfig, '{}') && array[
      'search_path=pg_catalog, public, pg_temp', 'search_path="pg_catalog, public, pg_temp"']`)
    assert.deepEqual(loose, [])
    assert.ok((await list(`select proname as name ${definers}`)).length > 1)
  })

  it('is not for everybody to call', async () => {
    assert.deepEqual(
      await list(`select proname as name ${definers} and has_function_privilege('public', oid, 'execute')`),
      [],
    )
    assert.deepEqual(
      await list(`select proname as name ${definers} and has_function_privilege('tenantry_none', oid, 'execute')`),
      [],
    )
  })
})
