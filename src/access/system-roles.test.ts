import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../test/support/app.ts'
import { rolesOf } from '../../test/support/members.ts'
import { assertProblem, signUp } from '../../test/support/people.ts'
import { type Permission, permissions } from './permissions.ts'
import { type SystemRoleKey, systemRoles } from './system-roles.ts'

const service = await useTestApp()

/**
 * What each system role does not give. A permission that is new in the catalogue fails this test until there is a
 * decision for each role: docs/decisions/0046-permissions-of-system-roles.md.
 */
const WITHOUT: Record<SystemRoleKey, Permission[]> = {
  owner: [],
  admin: ['companies:delete'],
  manager: [
    'companies:update',
    'companies:delete',
    'users:delete',
    'roles:create',
    'roles:update',
    'roles:delete',
    'policy:read',
    'policy:update',
    'domains:read',
  ],
  member: [
    'companies:update',
    'companies:delete',
    'users:create',
    'users:update',
    'users:delete',
    'branches:create',
    'branches:update',
    'branches:delete',
    'roles:create',
    'roles:update',
    'roles:delete',
    'audit:read',
    'policy:read',
    'policy:update',
    'domains:read',
  ],
}

describe('the system roles', () => {
  it('give or do not give each permission by a decision', () => {
    for (const { key, permissions: given } of systemRoles) {
      assert.deepEqual(
        permissions.filter((name) => !WITHOUT[key].includes(name)),
        given,
        key,
      )
      assert.deepEqual([...given, ...WITHOUT[key]].sort(), [...permissions].sort(), key)
    }
  })

  it('give the same in the database', async () => {
    for (const { key, permissions: given } of systemRoles) {
      const [row] = await service.db.query<{ given: string[] }>('select system_role_permissions($1) as given', [key])
      assert.deepEqual(row?.given, given, key)
    }
  })

  it('give it when a node of another version writes their rows', async () => {
    const ann = await signUp(service.client)
    await service.db.query(
      `update roles set permissions = '{users:read}' where company_id = $1 and system_key is not null`,
      [ann.company.id],
    )
    const { data } = (await ann.api.get('/companies/roles?sortBy=created_at')).body
    for (const { name, permissions: given } of systemRoles) {
      assert.deepEqual(data.find((role: { name: string }) => role.name === name).permissions, given, name)
    }
  })

  it('follow to the members of a role that one of them replaces', async () => {
    const ann = await signUp(service.client)
    const { Admin } = await rolesOf(ann)
    const { body } = await ann.api.post('/companies/roles', { name: 'Desk', permissions: ['users:read'] })
    await service.db.query('update roles set replaced_by = $2 where id = $1', [body.data.id, Admin])
    const [replaced] = await service.db.query('select system_key, permissions from roles where id = $1', [body.data.id])
    assert.deepEqual(replaced, { system_key: 'admin', permissions: systemRoles[1]?.permissions })
  })

  it('can’t be changed by requests', async () => {
    const ann = await signUp(service.client)
    const { Manager } = await rolesOf(ann)
    assertProblem(
      await ann.api.patch(`/companies/roles/${Manager}`, { permissions: ['policy:read'] }),
      422,
      'system_role',
    )
  })
})
