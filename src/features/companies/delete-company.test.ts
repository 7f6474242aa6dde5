import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import type { Answer } from '../../../test/support/client.ts'
import { type AddedMember, addMember, emailedPassword, join, rolesOf } from '../../../test/support/members.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'
import { disableAccount } from '../auth/disable-account.ts'

const service = await useTestApp()

const at = ({ company }: Person) => `/companies/${company.id}`
const deleteCompany = (person: Person) => person.api.delete(at(person))
const restore = (person: Person, id = person.company.id) => person.api.post(`/companies/${id}/restore`)
const deletedOf = async ({ api }: Person) => (await api.get('/companies?status=deleted')).body
const recordsOf = async (companyId: string, action: string) =>
  service.db.query(
    `select actor_id, target_type, target_id from audit_records
     where company_id = $1 and action = $2 and outcome = 'done'`,
    [companyId, action],
  )
/** Ages the deletion of a company. */
const letTimePass = (companyId: string, interval: string) =>
  service.db.query(`update companies set deleted_at = deleted_at - $2::interval where id = $1`, [companyId, interval])

describe('a deleted company', () => {
  it('is not found by any of its members at once', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client), ['Admin'])
    const closed = await deleteCompany(ann)
    assert.deepEqual([closed.status, closed.body.data], [200, { id: ann.company.id }])
    assert.equal(typeof closed.body.message, 'string')
    for (const person of [ann, bob]) {
      assertProblem(await person.api.get(at(ann)), 404, 'company_not_found')
      assertProblem(await person.api.patch(at(ann), { name: 'X' }), 404, 'company_not_found')
      assertProblem(await person.api.delete(at(ann)), 404, 'company_not_found')
      assertProblem(await person.api.post(`${at(ann)}/leave`), 404, 'company_not_found')
      assertProblem(await person.api.get(`${at(ann)}/ownership-transfer`), 404, 'company_not_found')
      assertProblem(await person.api.get('/companies/users'), 403, 'not_a_member')
      assertProblem(await person.api.post('/companies/users', { name: 'X', email: anyEmail() }), 403, 'not_a_member')
      assertProblem(await person.api.get('/companies/roles'), 403, 'not_a_member')
      const { tenants, companyPermissions, companyRoles } = (await person.api.get('/auth/me')).body.data
      for (const named of [tenants.map(({ id }: { id: string }) => id), companyPermissions, companyRoles])
        assert.equal(JSON.stringify(named).includes(ann.company.id), false)
      const listed = (await person.api.get('/companies?limit=100')).body.data
      assert.equal(
        listed.some(({ id }: { id: string }) => id === ann.company.id),
        false,
      )
    }
    assert.deepEqual(await recordsOf(ann.company.id, 'companies.delete'), [
      { actor_id: ann.id, target_type: 'company', target_id: ann.company.id },
    ])
  })

  it('notifies only its active owners by email, and who was one within 7 days', async () => {
    const ann = await signUp(service.client, { companyName: 'Acme Mills' })
    const [bob, idle, disabled, admin] = [
      await join(ann, await signUp(service.client), ['Owner']),
      await join(ann, await signUp(service.client), ['Owner']),
      await join(ann, await signUp(service.client), ['Owner']),
      await join(ann, await signUp(service.client), ['Admin']),
    ]
    await disableAccount(service.database, OPERATOR, disabled.id, { notifies: false })
    await ann.api.patch(`/companies/users/${idle.id}`, { status: 'inactive' })
    const hours = [169, 167].map((age) => `now() - interval '${age} hours'`)
    const carl = await join(ann, await signUp(service.client), ['Owner'])
    await ann.api.patch(`/companies/users/${carl.id}`, { status: 'inactive' })
    await service.db.query(`update former_owners set ended_at = ${hours[0]} where account_id = $1`, [idle.id])
    await service.db.query(`update former_owners set ended_at = ${hours[1]} where account_id = $1`, [carl.id])
    await service.db.query(`update accounts set disabled_at = ${hours[0]} where id = $1`, [disabled.id])
    await deleteCompany(ann)
    const [{ restorable_until }] = (await deletedOf(ann)).data
    for (const owner of [ann, bob, carl]) {
      const emails = await service.mailbox.to(owner.email, 'company_deleted')
      assert.equal(emails.length, 1)
      assert.match(emails[0]?.text ?? '', /Acme Mills/)
      const [row] = await service.db.query(`select params from emails where id = $1`, [emails[0]?.id])
      const by = { by: ann.name, byEmail: ann.email }
      assert.deepEqual(row?.params, { company: 'Acme Mills', ...by, until: restorable_until, timezone: '' })
    }
    for (const other of [idle, disabled, admin])
      assert.deepEqual(await service.mailbox.to(other.email, 'company_deleted'), [])
  })

  it('needs companies:delete in this company', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    const refused = await admin.api.delete(at(ann))
    assertProblem(refused, 403, 'permission_missing')
    assert.equal(refused.body.required, 'companies:delete')
    assertProblem(await eve.api.delete(at(ann)), 404, 'company_not_found')
    assert.equal((await ann.api.get(at(ann))).status, 200)
  })

  it('is deleted once by twenty parallel requests', async () => {
    const ann = await signUp(service.client)
    const answers = await Promise.all(Array.from({ length: 20 }, () => deleteCompany(ann)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(404)])
    assert.equal((await recordsOf(ann.company.id, 'companies.delete')).length, 1)
    assert.equal((await service.mailbox.to(ann.email, 'company_deleted')).length, 1)
  })

  it('keeps the accounts of members without another company', async () => {
    const ann = await signUp(service.client)
    const bob = await addMember(ann)
    const password = await emailedPassword(service, bob.email)
    await deleteCompany(ann)
    const held = await signIn(service.client, bob.email, password)
    assert.equal(held.company, undefined)
    assertProblem(await held.api.get('/companies'), 403, 'password_change_required')
    assert.deepEqual((await deletedOf(ann)).total, 1)
  })

  it('does not let another company manage its accounts', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const bob = await addMember(ann)
    await eve.api.post('/companies/users', { name: 'B', email: bob.email })
    await deleteCompany(ann)
    const answer = await eve.api.post(`/companies/users/${bob.id}/reset-password`)
    assertProblem(answer, 403, 'account_not_managed')
  })

  it('keeps its slug reserved', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    await deleteCompany(ann)
    assertProblem(await eve.api.patch(at(eve), { slug: ann.company.slug }), 409, 'slug_taken')
  })
})

describe('no request that started before the company was deleted', () => {
  /** Every write in a company as a valid request, and its answer when the company is deleted meanwhile. */
  const writes: Record<string, [(team: Team) => Promise<Answer>, 403 | 404]> = {
    'add a member': [({ ann }) => ann.api.post('/companies/users', { name: 'X', email: anyEmail() }), 403],
    'link an account': [({ ann, eve }) => ann.api.post(`${at(ann)}/members`, { userId: eve.id }), 403],
    'update a member': [({ ann, bob }) => ann.api.patch(`/companies/users/${bob.id}`, { phone: '1' }), 403],
    'detach a member': [({ ann, bob }) => ann.api.delete(`/companies/users/${bob.id}`), 403],
    'remove a member': [({ ann, bob }) => ann.api.delete(`${at(ann)}/members/${bob.id}`), 403],
    'reset a password': [({ ann, bob }) => ann.api.post(`/companies/users/${bob.id}/reset-password`), 403],
    'email a password': [({ ann, bob }) => ann.api.post(`/companies/users/${bob.id}/reset-password-email`), 403],
    'update the company': [({ ann }) => ann.api.patch(at(ann), { name: 'Late' }), 404],
    'delete the company': [({ ann }) => deleteCompany(ann), 404],
    'leave the company': [({ receiver, ann }) => receiver.api.post(`${at(ann)}/leave`), 404],
    'offer the ownership': [({ ann, bob }) => ann.api.post(`${at(ann)}/ownership-transfer`, { userId: bob.id }), 404],
    'cancel the offer': [({ ann }) => ann.api.delete(`${at(ann)}/ownership-transfer`), 404],
    'decline the offer': [({ receiver, ann }) => receiver.api.post(`${at(ann)}/ownership-transfer/decline`), 404],
    'accept the offer': [
      ({ receiver, ann }) => receiver.api.post(`${at(ann)}/ownership-transfer/accept`, { currentPassword: PASSWORD }),
      404,
    ],
  }

  interface Team {
    ann: Person
    bob: AddedMember
    receiver: Person
    eve: Person
  }

  for (const [what, [send, status]] of Object.entries(writes))
    it(`can ${what}`, async () => {
      const ann = await signUp(service.client)
      const team = {
        ann,
        bob: await addMember(ann),
        receiver: await join(ann, await signUp(service.client)),
        eve: await signUp(service.client),
      }
      if (!what.startsWith('offer')) await ann.api.post(`${at(ann)}/ownership-transfer`, { userId: team.receiver.id })
      const before = await everythingOf(ann.company.id)
      await service.db.query('begin')
      await service.db.query('update companies set deleted_at = now() where id = $1', [ann.company.id])
      const late = send(team)
      await service.db.waitForLock()
      await service.db.query('commit')
      assertProblem(await late, status, status === 403 ? 'not_a_member' : 'company_not_found')
      assert.deepEqual(await everythingOf(ann.company.id), before)
    })

  const everythingOf = async (companyId: string) => {
    const rows = []
    for (const table of ['memberships', 'membership_roles', 'company_counters', 'ownership_offers'])
      rows.push(await service.db.query(`select * from ${table} where company_id = $1 order by 1, 2, 3`, [companyId]))
    rows.push(await service.db.query('select name, slug from companies where id = $1', [companyId]))
    rows.push(
      await service.db.query(
        `select action from audit_records where company_id = $1 and outcome = 'done' order by id`,
        [companyId],
      ),
    )
    rows.push(
      await service.db.query(
        'select account_id, kind, hash from passwords join memberships using (account_id) where company_id = $1 order by 1, 2',
        [companyId],
      ),
    )
    return rows
  }
})

describe('restoring a company', () => {
  it('restores members, data and slug unchanged', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client), ['Manager'])
    const owner = await join(ann, await signUp(service.client), ['Owner'])
    const before = (await ann.api.get(at(ann))).body.data
    const members = (await ann.api.get('/companies/users')).body.data
    await deleteCompany(ann)
    const { data, total } = await deletedOf(ann)
    const { updated_at, deleted_at, restorable_until } = data[0]
    assert.deepEqual([data, total], [[{ ...before, status: 'deleted', updated_at, deleted_at, restorable_until }], 1])
    assert.equal(Date.parse(restorable_until) - Date.parse(deleted_at), 30 * 86_400_000)

    const restored = await restore(ann)
    assert.equal(restored.status, 200)
    assert.deepEqual(restored.body.data, { ...before, updated_at: restored.body.data.updated_at })
    assert.deepEqual((await ann.api.get('/companies/users')).body.data, members)
    assert.equal((await bob.api.get(at(ann))).status, 200)
    assert.equal((await deletedOf(ann)).total, 0)
    for (const { email } of [ann, owner]) {
      const [notice] = await service.mailbox.to(email, 'company_restored')
      assert.ok(notice?.text.includes(`(${ann.email})`))
    }
    assert.equal((await service.mailbox.to(bob.email, 'company_restored')).length, 0)
    assert.deepEqual(await recordsOf(ann.company.id, 'companies.restore'), [
      { actor_id: ann.id, target_type: 'company', target_id: ann.company.id },
    ])
  })

  it('is possible for active owners; for all others the company is not found', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const [admin, idle] = [
      await join(ann, await signUp(service.client), ['Admin']),
      await join(ann, await signUp(service.client), ['Owner']),
    ]
    await ann.api.patch(`/companies/users/${idle.id}`, { status: 'inactive' })
    await deleteCompany(ann)
    for (const person of [admin, idle, eve]) {
      assertProblem(await restore(person, ann.company.id), 404, 'company_not_found')
      assert.equal((await deletedOf(person)).total, 0)
    }
    assertProblem(await restore(ann, newId()), 404, 'company_not_found')
    assertProblem(await restore(ann, 'x'), 400, 'validation_failed')
    assertProblem(await restore(eve), 422, 'company_not_deleted')
    assertProblem(await restore(eve, ann.company.id), 404, 'company_not_found')
    assert.equal((await restore(ann)).status, 200)
  })

  it('is possible for 30 days', async () => {
    const ann = await signUp(service.client)
    await deleteCompany(ann)
    await letTimePass(ann.company.id, '29 days 23:59:00')
    assert.equal((await restore(ann)).status, 200)
    await deleteCompany(ann)
    await letTimePass(ann.company.id, '30 days')
    assert.equal((await deletedOf(ann)).total, 0)
    assertProblem(await restore(ann), 404, 'company_not_found')
  })

  it('succeeds once of twenty parallel requests by two owners', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client), ['Owner'])
    for (let round = 1; round <= 3; round++) {
      await deleteCompany(ann)
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => restore(i % 2 === 0 ? ann : bob, ann.company.id)),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(422)])
      assert.equal((await recordsOf(ann.company.id, 'companies.restore')).length, round)
    }
  })

  it('leaves a consistent company when it is deleted and restored in parallel, repeatedly', async () => {
    const ann = await signUp(service.client)
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? deleteCompany(ann) : restore(ann))),
      )
      for (const { status } of answers) assert.ok([200, 404, 422].includes(status), String(status))
      await restore(ann)
      assert.equal((await ann.api.get(at(ann))).status, 200)
    }
  })

  it('is refused for a company without a remaining owner', async () => {
    const ann = await signUp(service.client)
    const roles = await rolesOf(ann)
    await deleteCompany(ann)
    await service.db.query('update membership_roles set role_id = $1 where company_id = $2', [
      roles.Admin,
      ann.company.id,
    ])
    assertProblem(await restore(ann), 404, 'company_not_found')
  })
})
