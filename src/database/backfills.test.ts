import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { useTestApp } from '../../test/support/app.ts'
import { createRole, join, rolesOf } from '../../test/support/members.ts'
import { type Person, signUp } from '../../test/support/people.ts'
import { addCompanies } from '../../test/support/scale.ts'
import { permissions } from '../access/permissions.ts'
import { systemRoles } from '../access/system-roles.ts'
import { migrate } from './migrate.ts'

const service = await useTestApp()
const { query, target } = service.db

const NEW = ['policy:read', 'policy:update', 'domains:read']
const FORMER = 'Can view everything, add and edit members, and manage branches.'
let ann: Person
let bob: Person

before(async () => {
  ann = await signUp(service.client)
  bob = await join(ann, await signUp(service.client), ['Admin'])
  await addCompanies(service.db, 2500)
  await migrate(target)
})

/** As a database is right after the upgrade from a version that does not know the new permissions. */
beforeEach(async () => {
  await query(`
    set session_replication_role = replica;
    update roles set permissions = array(select unnest(permissions) except select unnest('{${NEW}}'::text[]) order by 1),
      description = case system_key when 'manager' then '${FORMER}' else description end,
      search = case system_key when 'manager' then 'manager ' || lower('${FORMER}') else search end;
    set session_replication_role = origin;
    update backfills set done_through = null, finished_at = null`)
})

const stale = async () =>
  (
    await query(
      `select from roles where system_key is not null and permissions <> system_role_permissions(system_key) limit 1`,
    )
  ).length > 0

/** What it logs. */
async function start(): Promise<unknown[][]> {
  const said: unknown[][] = []
  const say = (...parts: unknown[]) => said.push(parts)
  await migrate(target, { info: say, warn: say })
  return said
}

const isFinished = async () => (await query('select from backfills where finished_at is null')).length === 0

describe('a start after an upgrade', () => {
  it('gives the system roles of every company what their lists give, before it serves', async () => {
    assert.ok(await stale())
    const counters = await query('select * from role_counters order by role_id')
    const said = await start()
    assert.deepEqual([await stale(), await isFinished()], [false, true])
    assert.deepEqual(said, [[{ companies: 2502 }, 'system roles have the permissions of this version']])
    assert.deepEqual(await query('select * from role_counters order by role_id'), counters)
    for (const { key, description } of systemRoles) {
      const [role] = await query(`select description, search from roles where company_id = $1 and system_key = $2`, [
        ann.company.id,
        key,
      ])
      assert.deepEqual(role, { description, search: `${key} ${description.toLowerCase()}` })
    }
  })

  it('tells front ends by x-permissions-version, and leaves roles of the company as they are', async () => {
    const desk = await createRole(ann, 'Desk', ['users:read', 'audit:read'])
    const held = async (person: Person) => {
      const { headers } = await person.api.get('/companies/roles')
      const { companyPermissions } = (await person.api.get('/auth/me')).body.data
      const version = headers.get('x-permissions-version')
      return { version, permissions: new Set(companyPermissions[ann.company.id]) }
    }
    const before = await held(bob)
    await migrate(target)
    const after = await held(bob)
    assert.notEqual(after.version, before.version)
    assert.deepEqual(after.permissions.difference(before.permissions), new Set(NEW))
    assert.deepEqual((await held(ann)).permissions, new Set(permissions))
    assert.deepEqual((await ann.api.get(desk.path)).body.data.permissions, ['users:read', 'audit:read'])
  })

  it('goes on where one before it was stopped', async () => {
    await query('select complete_system_roles(700)')
    assert.deepEqual([await stale(), await isFinished()], [true, false])
    const said = await start()
    assert.deepEqual(said, [[{ companies: 1802 }, 'system roles have the permissions of this version']])
    assert.deepEqual([await stale(), await isFinished()], [false, true])
  })

  it('shares the work with others that start at the same time, and repeats nothing', async () => {
    const said = await Promise.all([start(), start(), start()])
    assert.equal(said.flat().length, 1)
    assert.equal(await stale(), false)
    const before = await query('select id, xmin from roles order by id')
    await migrate(target)
    assert.deepEqual(await query('select id, xmin from roles order by id'), before)
  })

  it('completes a role that a system role has replaced, whose members are still to be given the other one', async () => {
    const desk = await createRole(ann, `Front ${Date.now()}`, ['users:read'])
    const { Admin } = await rolesOf(ann)
    await query('set session_replication_role = replica')
    await query(
      `update roles set replaced_by = $2, system_key = 'admin', permissions = '{users:read}', name_skeleton = null where id = $1`,
      [desk.id, Admin],
    )
    await query('set session_replication_role = origin')
    await migrate(target)
    const [row] = await query('select permissions from roles where id = $1', [desk.id])
    assert.deepEqual(row?.permissions, systemRoles[1]?.permissions)
    await query('delete from roles where id = $1', [desk.id])
  })
})
