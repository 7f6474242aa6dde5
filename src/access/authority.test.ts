import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../problems.ts'
import { type Authority, assertCanActOn, assertCanGrant, authorityOf, covers, type RoleGrant } from './authority.ts'
import { permissions } from './permissions.ts'
import { systemRoles } from './system-roles.ts'

const permission = fc.constantFrom(...permissions)
const role: fc.Arbitrary<RoleGrant> = fc.record({
  permissions: fc.uniqueArray(permission),
  system_key: fc.constantFrom('owner', null, null, null),
})
const roles = fc.array(role, { maxLength: 5 })

const isRefused = (work: () => void, code: string) => {
  try {
    work()
    return false
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === code)
    return true
  }
}

it('lets an actor grant only permissions and ownership that it holds', () => {
  fc.assert(
    fc.property(roles, roles, (own, given) => {
      const giver = authorityOf(own)
      const gained = authorityOf(given)
      const exceeds =
        !giver.isOwner && (gained.isOwner || [...gained.permissions].some((name) => !giver.permissions.has(name)))
      assert.equal(
        isRefused(() => assertCanGrant(giver, given), 'grant_exceeds_permissions'),
        exceeds,
      )
    }),
  )
})

it('lets an actor act only on members whose permissions it holds', () => {
  fc.assert(
    fc.property(roles, roles, (own, others) => {
      const [actor, target] = [authorityOf(own), authorityOf(others)]
      const exceeds =
        !actor.isOwner && (target.isOwner || [...target.permissions].some((name) => !actor.permissions.has(name)))
      assert.equal(
        isRefused(() => assertCanActOn(actor, target), 'target_exceeds_permissions'),
        exceeds,
      )
    }),
  )
})

it('never increases the permissions of a group of members by any number of grants among them', () => {
  // Members grant each other roles step by step; their combined permissions never grow.
  const step = fc.record({ giver: fc.nat(3), receiver: fc.nat(3), given: fc.nat(9) })
  fc.assert(
    fc.property(
      fc.array(roles, { minLength: 4, maxLength: 4 }),
      fc.array(role, { minLength: 10, maxLength: 10 }),
      fc.array(step),
      (people, offered, steps) => {
        const held = people.map((list) => [...list])
        const everything = authorityOf(people.flat())
        for (const { giver, receiver, given } of steps) {
          const grant = offered[given] as RoleGrant
          const refused = isRefused(
            () => assertCanGrant(authorityOf(held[giver] as RoleGrant[]), [grant]),
            'grant_exceeds_permissions',
          )
          if (!refused) held[receiver]?.push(grant)
        }
        assert.ok(covers(everything, authorityOf(held.flat())))
      },
    ),
  )
})

it('orders the system roles: Owner above Admin above Manager above Member', () => {
  const ladder: Authority[] = systemRoles.map(({ key, permissions }) => authorityOf([{ permissions, system_key: key }]))
  ladder.forEach((upper, i) => {
    ladder.forEach((lower, j) => {
      assert.equal(covers(upper, lower), i <= j)
    })
  })
})

it('ranks ownership above all permissions together', () => {
  const allPermissions = authorityOf([{ permissions, system_key: null }])
  const owner = authorityOf([{ permissions, system_key: 'owner' }])
  assert.equal(covers(allPermissions, owner), false)
  assert.equal(covers(owner, allPermissions), true)
})
