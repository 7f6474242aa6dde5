import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { asAccount, asAnyone, asWorker, inCompany } from '../src/database/scopes.ts'
import { useTestApp } from './support/app.ts'
import * as catalogue from './support/catalogue.ts'
import { signUp } from './support/people.ts'

const service = await useTestApp()
const ann = await signUp(service.client)
const bob = await signUp(service.client)
const tables = await catalogue.tablesOfCompanies(service.db)

const ROLES = ['tenantry_none', 'tenantry_account', 'tenantry_tenant', 'tenantry_worker']

const asAnn = () => inCompany(ann.company.id, ann.id)
const list = (text: string, values: unknown[] = []) => catalogue.names(service.db, text, values)
const outcome = (scope: Parameters<typeof catalogue.outcome>[1], text: string, ...values: string[]) =>
  catalogue.outcome(service.database, scope, text, ...values)

describe('a database role of the service', () => {
  it('cannot bypass row-level security, and owns nothing', async () => {
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

  it('is not the owner of a table', async () => {
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

  it('can read only the tables that its work needs', async () => {
    const readableBy = (role: string) =>
      list(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
           and has_any_column_privilege($1, oid, 'select') order by 1`,
        [role],
      )
    const secrets = [
      'emails',
      'one_time_links',
      'passwords',
      'schema_migrations',
      'sessions',
      'password_attempts',
      'known_networks',
    ]
    const tenant = await readableBy('tenantry_tenant')
    assert.deepEqual(
      tenant.filter((table) => secrets.includes(table)),
      [],
    )
    assert.deepEqual(tenant.filter((table) => !tables.includes(table)).sort(), [
      'accounts',
      'companies',
      'open_memberships',
      'usable_memberships',
    ])
    const worker = await readableBy('tenantry_worker')
    assert.deepEqual(
      worker.filter((table) => ['accounts', 'companies', ...tables].includes(table)),
      [],
    )
    const account = await readableBy('tenantry_account')
    assert.deepEqual(
      account.filter((table) => ['emails', 'audit_records', 'schema_migrations'].includes(table)),
      [],
    )
  })

  it('cannot change or delete audit records', async () => {
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

  it('writes audit records only in its scope', async () => {
    const insert = `insert into audit_records (id, company_id, action, outcome, target_type) values (gen_random_uuid(), ?::uuid, 'x', 'x', 'x')`
    const nowhere = insert.replace('?::uuid', 'null')
    assert.equal(await outcome(asAnn(), insert, bob.company.id), 'refused')
    assert.equal(await outcome(asAnn(), nowhere), 'refused')
    assert.equal(await outcome(asAccount(ann.id), insert, ann.company.id), 'refused')
    assert.equal(await outcome(asWorker, nowhere), 'refused')
  })

  it('reads in a company only public columns of the accounts of its members', async () => {
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
    // The number of opened companies decides whether the company alone manages the account; the other columns record that a
    // password was shown, until when it vouches for nothing, and that the account is disabled and counts as no owner; of an
    // address that was never verified, that it gets fewer notices; that of a second factor, whether another owner could pass the policy.
    const decisive = [
      'email_verified_at',
      'has_second_factor',
      'reset_by_link_at',
      'opened_companies',
      'password_shown_at',
      'disabled_at',
      'recovered_at',
      'vouches_from',
      'regained_at',
    ]
    assert.deepEqual(readable, [...shown, 'phone', 'position', ...decisive].sort())
    for (const write of [
      `update accounts set name = 'x'`,
      'delete from accounts',
      `insert into accounts (id) values (null)`,
    ])
      assert.equal(await outcome(asAnn(), write), 'refused')
  })
})

describe('a security definer function', () => {
  const definers = `from pg_proc where pronamespace = 'public'::regnamespace and prosecdef`

  it('has a fixed search path with temporary tables last', async () => {
    const loose = await list(`select proname as name ${definers} and not coalesce(proconfig, '{}') && array[
      'search_path=pg_catalog, public, pg_temp', 'search_path="pg_catalog, public, pg_temp"']`)
    assert.deepEqual(loose, [])
    assert.ok((await list(`select proname as name ${definers}`)).length > 1)
  })

  it('is not callable by PUBLIC', async () => {
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
