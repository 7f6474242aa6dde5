import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addApp, signUpVerified } from '../../../test/support/factors.ts'
import { createRole, join, link, rolesOf } from '../../../test/support/members.ts'
import { assertProblem, type Person } from '../../../test/support/people.ts'
import { setPolicy } from '../../../test/support/policies.ts'

const service = await useTestApp()
const { db } = service
const EVERYBODY = { secondFactor: { required: 'everybody' } }

interface Protected extends Person {
  factorId: string
}

async function signUpProtected(): Promise<Protected> {
  const person = await signUpVerified(service)
  return { ...person, factorId: (await addApp(service, person)).factorId }
}

const remove = ({ api, factorId }: Protected) => api.delete(`/auth/factors/${factorId}`)
const setRule = ({ api }: Person, body: object) => api.patch('/companies/policy', body)
const factorsOf = async ({ api }: Person) => (await api.get('/auth/factors')).body.data
const isProtected = async ({ id }: Person) =>
  (await db.query<{ is: boolean }>('select has_second_factor as is from accounts where id = $1', [id]))[0]?.is

describe('the last second factor of an account', () => {
  it('stays while a company asks for it, and the list says which', async () => {
    const ann = await signUpProtected()
    assert.deepEqual((await factorsOf(ann)).required_by, [])
    assert.equal((await setRule(ann, EVERYBODY)).status, 200)
    assert.deepEqual((await factorsOf(ann)).required_by, [{ id: ann.company.id, name: ann.company.name }])

    assertProblem(await remove(ann), 422, 'factor_required')
    assert.equal((await factorsOf(ann)).recoveryCodesLeft, 10)
    const { factorId } = await addApp(service, ann)
    assert.equal((await remove(ann)).status, 200)
    assertProblem(await remove({ ...ann, factorId }), 422, 'factor_required')
    assert.equal((await setRule(ann, { secondFactor: { required: 'nobody' } })).status, 200)
    assert.equal((await remove({ ...ann, factorId })).status, 200)
  })

  it('stays only for those whom the policy asks now', async () => {
    const ann = await signUpProtected()
    const bob = await signUpProtected()
    const role = await createRole(ann, 'Clerk')
    await join(ann, bob)
    const { Owner, Member } = await rolesOf(ann)
    await ann.api.patch(`/companies/users/${bob.id}`, { roleIds: [Member, role.id] })
    await setRule(ann, { secondFactor: { required: 'roles', roleIds: [Owner] } })
    assert.deepEqual((await factorsOf(bob)).required_by, [])
    await setRule(ann, { secondFactor: { required: 'roles', roleIds: [Owner, role.id] } })
    assertProblem(await remove(bob), 422, 'factor_required')
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    await setRule(ann, { secondFactor: { required: 'everybody', from: tomorrow } })
    assert.equal((await remove(bob)).status, 200)
  })

  it('is held by no company that the account has not opened, that it has left, or where it is inactive', async () => {
    const ann = await signUpProtected()
    const [unopened, inactive, former] = [await signUpProtected(), await signUpProtected(), await signUpProtected()]
    await link(ann, unopened, ['Member'])
    for (const person of [inactive, former]) await join(ann, person)
    await ann.api.patch(`/companies/users/${inactive.id}`, { status: 'inactive' })
    assert.equal((await setRule(ann, EVERYBODY)).status, 200)
    assert.equal((await former.api.post(`/companies/${ann.company.id}/leave`)).status, 200)
    for (const person of [unopened, inactive, former]) {
      assert.deepEqual((await factorsOf(person)).required_by, [])
      assert.equal((await remove(person)).status, 200)
    }
  })

  it('stays with both of two last owners who remove theirs at once', async () => {
    const ann = await signUpProtected()
    const bob = await signUpProtected()
    await join(ann, bob, ['Owner'])
    assert.equal((await setRule(ann, EVERYBODY)).status, 200)
    const answers = await Promise.all(Array.from({ length: 20 }, (_, nth) => remove(nth % 2 ? ann : bob)))
    for (const answer of answers) assertProblem(answer, 422, 'factor_required')
    for (const person of [ann, bob]) assert.equal(await isProtected(person), true)
  })

  it('is not lost while the policy is turned on: one of both comes first', async () => {
    for (let round = 0; round < 6; round++) {
      const ann = await signUpProtected()
      const [removed, changed] = await Promise.all([remove(ann), setRule(ann, EVERYBODY)])
      const codes = [removed.body.code ?? removed.status, changed.body.code ?? changed.status]
      const [asks] = await db.query('select policy_factor_from is not null as does from companies where id = $1', [
        ann.company.id,
      ])
      // The session that turns it on has to pass it by itself.
      assert.ok(!asks?.does || (await isProtected(ann)), JSON.stringify(codes))
      assert.ok(codes.includes(200), JSON.stringify(codes))
    }
  })

  it('waits for a policy that is about to be turned on, and then stays', async () => {
    const ann = await signUpProtected()
    await db.query('begin')
    await db.query('select from accounts where id = $1 for no key update', [ann.id])
    const removing = remove(ann)
    await db.waitForLock()
    await setPolicy(db, ann.company.id, 'policy_factor_from = now()')
    await db.query('commit')
    assertProblem(await removing, 422, 'factor_required')
  })

  it('stays with an owner whom a policy begins to ask for it at this moment', async () => {
    const ann = await signUpProtected()
    const bob = await signUpProtected()
    await join(ann, bob, ['Owner'])
    await setRule(ann, {
      secondFactor: { required: 'everybody', from: new Date(Date.now() + 3_600_000).toISOString() },
    })
    await db.query('begin')
    await db.query('select from companies where id = $1 for no key update', [ann.company.id])
    const removing = remove(bob)
    await db.waitForLock()
    await db.query('update companies set policy_factor_from = now() where id = $1', [ann.company.id])
    await db.query('commit')
    assertProblem(await removing, 422, 'factor_required')
  })

  it('is removed without waiting for a company where its user is no owner, which that would hold up', async () => {
    const [ann, bob] = [await signUpProtected(), await signUpProtected()]
    await join(ann, bob, ['Admin'])
    const { Owner } = await rolesOf(ann)
    await setRule(ann, { secondFactor: { required: 'roles', roleIds: [Owner] } })
    await db.query('begin')
    await db.query('select from companies where id = $1 for no key update', [ann.company.id])
    const removed = await remove(bob)
    await db.query('commit')
    assert.equal(removed.status, 200)
  })
})
