import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addApp, ageProofs, confirmFactor } from '../../../test/support/factors.ts'
import { addManagedMember, join, link } from '../../../test/support/members.ts'
import { assertProblem, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { closing, setPolicy } from '../../../test/support/policies.ts'

const service = await useTestApp()
const { client, db, mailbox } = service

const reset = ({ api }: Person, { id }: Pick<Person, 'id'>) => api.post(`/companies/users/${id}/reset-second-factor`)
const isProtected = async ({ id }: Person) =>
  (await db.query<{ is: boolean }>('select has_second_factor as is from accounts where id = $1', [id]))[0]?.is
const recordsOf = ({ id }: Person) =>
  db.query(
    `select company_id, actor_id, changes from audit_records
     where action = 'users.reset_second_factor' and outcome = 'done' and target_id = $1 order by id`,
    [id],
  )

describe('the second factors of a managed account', () => {
  it('are removed by its company, with its sessions, and each of its companies records it', async () => {
    const [ann, other] = [await signUp(client), await signUp(client)]
    const bob = await addManagedMember(service, ann)
    await join(other, bob)
    await join(other, ann, ['Admin'])
    await addApp(service, bob)

    const answer = await reset(ann, bob)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual([answer.body.data.id, answer.body.data.second_factor], [bob.id, false])
    assertProblem(await bob.api.get('/auth/me'), 401, 'token_invalid')
    const again = await signIn(client, bob.email)
    assert.deepEqual((await again.api.get('/auth/factors')).body.data.recoveryCodesLeft, 0)
    const [email] = await mailbox.to(bob.email, 'second_factor_reset')
    assert.ok(email?.text.includes(ann.company.name))
    const records = await recordsOf(bob)
    assert.deepEqual(records.map(({ company_id }) => company_id).sort(), [ann.company.id, other.company.id].sort())
    for (const { actor_id, changes } of records)
      assert.deepEqual([actor_id, changes], [ann.id, { factors: { from: ['totp'] } }])
    assertProblem(await reset(ann, bob), 404, 'factor_not_found')
  })

  it('show a company that the caller has not opened neither from where nor by which session the caller acts', async () => {
    const [ann, other] = [await signUp(client), await signUp(client)]
    const bob = await addManagedMember(service, ann)
    await join(other, bob)
    await link(other, ann, ['Admin'])
    await confirmFactor(db, bob.id)

    assert.equal((await reset(ann, bob)).status, 200)
    const { body } = await other.api.get('/companies/audit?action=users.reset_second_factor')
    const [{ actor, via, ip, user_agent }] = body.data
    assert.deepEqual([actor.id, via, ip, user_agent], [ann.id, null, null, ''])
  })

  it('need what setting a password needs', async () => {
    const [ann, other, stranger] = [await signUp(client), await signUp(client), await signUp(client)]
    const bob = await addManagedMember(service, ann)
    const own = await signUp(client)
    const member = await join(ann, await signUp(client))
    await join(ann, own)
    for (const person of [bob, own]) await confirmFactor(db, person.id)

    assertProblem(await reset(ann, own), 403, 'account_not_managed')
    assertProblem(await reset(ann, ann), 403, 'account_not_managed')
    assertProblem(await reset(member, bob), 403, 'permission_missing')
    assertProblem(await reset(stranger, bob), 404, 'member_not_found')
    await join(other, bob)
    assertProblem(await reset(ann, bob), 403, 'account_not_managed')
    await join(other, ann, ['Admin'])
    await setPolicy(db, other.company.id, closing.network_not_allowed)
    assertProblem(await reset(ann, bob), 403, 'account_not_managed')
    for (const person of [bob, own]) assert.equal(await isProtected(person), true)
    assert.deepEqual(await recordsOf(bob), [])
    assert.deepEqual(await mailbox.to(bob.email, 'second_factor_reset'), [])
  })

  it('are not removed by a member who has less than theirs, or whose session is not fresh', async () => {
    const ann = await signUp(client)
    const bob = await addManagedMember(service, ann)
    const admin = await join(ann, await signUp(client), ['Admin'])
    const { body } = await ann.api.get('/companies/roles?limit=100')
    const owner = body.data.find(({ name }: { name: string }) => name === 'Owner').id
    assert.equal((await ann.api.patch(`/companies/users/${bob.id}`, { roleIds: [owner] })).status, 200)
    await confirmFactor(db, bob.id)
    assertProblem(await reset(admin, bob), 403, 'target_exceeds_permissions')
    await ageProofs(service, ann)
    assertProblem(await reset(ann, bob), 403, 'reauthentication_required')
    assert.equal(await isProtected(bob), true)
  })

  it('are removed once, however many ask at the same time', async () => {
    const ann = await signUp(client)
    const bob = await addManagedMember(service, ann)
    await confirmFactor(db, bob.id)
    const answers = await Promise.all(Array.from({ length: 8 }, () => reset(ann, bob)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(404)])
    assert.equal((await recordsOf(bob)).length, 1)
    assert.equal((await mailbox.to(bob.email, 'second_factor_reset')).length, 1)
  })
})
