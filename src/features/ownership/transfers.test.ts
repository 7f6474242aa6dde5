import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addApp } from '../../../test/support/factors.ts'
import {
  addManagedMember,
  addMember,
  createRole,
  join,
  recoverAccount,
  rolesOf,
} from '../../../test/support/members.ts'
import { assertProblem, PASSWORD, type Person, signUp } from '../../../test/support/people.ts'
import { setPolicy } from '../../../test/support/policies.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()

/** An owner, the receiver of an offer and another member of one company. */
async function createTeam({ as = 'Member' } = {}): Promise<Record<'ann' | 'bob' | 'carl', Person>> {
  const ann = await signUp(service.client)
  const bob = await join(ann, await signUp(service.client), [as])
  const carl = await join(ann, await signUp(service.client), ['Admin'])
  return { ann, bob, carl }
}

const at = ({ company }: Person) => `/companies/${company.id}/ownership-transfer`
const offer = (by: Person, to: { id: string }) => by.api.post(at(by), { userId: to.id })
const read = (by: Person) => by.api.get(at(by))
const list = async (by: Person) => {
  const { status, body } = await by.api.get(`${at(by)}s`)
  assert.equal(status, 200)
  return body.data
}
const revoke = (by: Person) => by.api.delete(at(by))
const accept = (by: Person, currentPassword: unknown = PASSWORD) => by.api.post(`${at(by)}/accept`, { currentPassword })
const decline = (by: Person) => by.api.post(`${at(by)}/decline`)
const rolesIn = async (person: Person, { company }: Person) =>
  (await person.api.get('/auth/me')).body.data.companyRoles[company.id]
const party = ({ id, name, email }: Person) => ({ id, name, email })
const recordsOf = (companyId: string, action: string) =>
  service.db.query(
    `select actor_id, target_type, target_id, changes from audit_records
     where company_id = $1 and action = $2 and outcome = 'done'`,
    [companyId, action],
  )

describe('an offer of ownership', () => {
  it("prevents members who are not owners from resetting its receiver's password", async () => {
    const ann = await signUp(service.client)
    const managed = await addMember(ann)
    const manager = await join(ann, await signUp(service.client), ['Manager'])
    assert.equal((await offer(ann, managed)).status, 201)
    const reset = () => manager.api.post(`/companies/users/${managed.id}/reset-password`)
    assertProblem(await reset(), 403, 'account_not_managed')
    assert.equal((await revoke(ann)).status, 200)
    assert.equal((await reset()).status, 200)
  })

  it('ends for good when the policy shuts its sender out for want of a second factor', async () => {
    const { ann, bob } = await createTeam()
    assert.equal((await offer(ann, bob)).status, 201)
    await setPolicy(service.db, ann.company.id, `policy_factor_from = now(), policy_factor_roles = '{owner}'`)
    assert.deepEqual(await list(bob), [])
    assertProblem(await accept(bob), 422, 'transfer_expired')
    await setPolicy(service.db, ann.company.id, `policy_factor_roles = '{admin}'`)
    assertProblem(await accept(bob), 404, 'transfer_not_found')
    assert.equal((await offer(ann, bob)).status, 201)
    assert.equal((await accept(bob)).status, 200)
  })

  it('does not come to life again when its sender adds the second factor, and protects its receiver no longer', async () => {
    const ann = await signUp(service.client)
    const managed = await addMember(ann)
    const dora = await join(ann, await signUp(service.client), ['Admin'])
    assert.equal((await offer(ann, managed)).status, 201)
    await setPolicy(service.db, ann.company.id, `policy_factor_from = now(), policy_factor_roles = '{owner}'`)
    const reset = await dora.api.post(`/companies/users/${managed.id}/reset-password`)
    assert.equal(reset.status, 200)
    await addApp(service, ann)
    assertProblem(await read(ann), 404, 'transfer_not_found')
    await setPolicy(service.db, ann.company.id, `policy_factor_roles = '{admin}'`)
    assertProblem(await read(ann), 404, 'transfer_not_found')
  })

  it('ends for good when an owner sets a policy that shuts its sender out, and blocks no other offer', async () => {
    const { ann, bob } = await createTeam()
    const dora = await join(ann, await signUp(service.client), ['Owner'])
    assert.equal((await offer(ann, bob)).status, 201)
    await addApp(service, dora)
    const setRequired = async (required: string) =>
      assert.equal((await dora.api.patch('/companies/policy', { secondFactor: { required } })).status, 200)
    await setRequired('everybody')
    const stored = () => service.db.query('select from ownership_offers where company_id = $1', [ann.company.id])
    assert.equal((await stored()).length, 0)
    await setRequired('nobody')
    assert.equal((await offer(ann, bob)).status, 201)
    // As if its day had come.
    await setPolicy(service.db, ann.company.id, `policy_factor_from = now(), policy_factor_roles = '{owner}'`)
    await setRequired('nobody')
    assertProblem(await read(ann), 404, 'transfer_not_found')
    assert.equal((await offer(dora, bob)).status, 201)
  })

  it('stays ended when the role is taken from its sender that the policy asks a second factor for', async () => {
    const { ann, bob } = await createTeam()
    const dora = await join(ann, await signUp(service.client), ['Owner'])
    const strict = await createRole(ann, 'Strict', [])
    const roles = await rolesOf(ann)
    const give = (...roleIds: unknown[]) => dora.api.patch(`/companies/users/${ann.id}`, { roleIds })
    assert.equal((await give(roles.Owner, strict.id)).status, 200)
    assert.equal((await offer(ann, bob)).status, 201)
    await setPolicy(service.db, ann.company.id, `policy_factor_from = now(), policy_factor_roles = '{${strict.id}}'`)
    assert.equal((await give(roles.Owner)).status, 200)
    assertProblem(await read(ann), 404, 'transfer_not_found')
    assertProblem(await accept(bob), 404, 'transfer_not_found')
  })

  it('stays ended when its receiver, of whom an administrator saw a password, proves the address', async () => {
    const carl = await signUp(service.client)
    const ann = await signUp(service.client)
    const managed = await addMember(carl)
    const added = await ann.api.post(`/companies/${ann.company.id}/members`, {
      userId: managed.id,
      roleNames: ['Member'],
    })
    assert.equal(added.status, 201)
    assert.equal((await offer(ann, managed)).status, 201)
    assert.equal((await carl.api.post(`/companies/users/${managed.id}/reset-password`)).status, 200)
    assertProblem(await read(ann), 404, 'transfer_not_found')
    await recoverAccount(service, managed)
    assertProblem(await read(ann), 404, 'transfer_not_found')
    assert.equal((await offer(ann, managed)).status, 201)
  })

  it('ends for good when an administrator is shown a password of its receiver, whom it protects no longer', async () => {
    const ann = await signUp(service.client)
    const managed = await addManagedMember(service, ann)
    const api = managed.api.with({ company: ann.company.id })
    const bob = { ...managed, company: ann.company, api }
    assert.equal((await api.get(`/companies/${ann.company.id}`)).status, 200)
    const dora = await join(ann, await signUp(service.client), ['Admin'])
    assert.equal((await offer(ann, bob)).status, 201)
    await setPolicy(service.db, ann.company.id, `policy_factor_from = now(), policy_factor_roles = '{owner}'`)
    assert.equal((await dora.api.post(`/companies/users/${bob.id}/reset-password`)).status, 200)
    await setPolicy(service.db, ann.company.id, `policy_factor_roles = '{admin}'`)
    assertProblem(await read(ann), 404, 'transfer_not_found')
    assert.equal((await offer(ann, bob)).status, 201)
  })

  it('stays ended when its receiver became an owner by a role and lost it again', async () => {
    const { ann, bob } = await createTeam()
    const roles = await rolesOf(ann)
    const temporary = await ann.api.post('/companies/roles', { name: 'Temporary', permissions: [] })
    const give = (roleId: string | undefined) => ann.api.patch(`/companies/users/${bob.id}`, { roleIds: [roleId] })
    await give(temporary.body.data.id)
    assert.equal((await offer(ann, bob)).status, 201)
    const deleted = await ann.api.delete(`/companies/roles/${temporary.body.data.id}?reassignTo=${roles.Owner}`)
    assert.equal(deleted.status, 200)
    assert.equal((await give(roles.Member)).status, 200)
    assertProblem(await read(ann), 404, 'transfer_not_found')
    assertProblem(await accept(bob), 404, 'transfer_not_found')
  })

  it('is returned to both parties and notified to its receiver', async () => {
    const { ann, bob } = await createTeam({ as: 'Manager' })
    const offered = await offer(ann, bob)
    assert.equal(offered.status, 201)
    const { created_at, expires_at } = offered.body.data
    assert.deepEqual(offered.body.data, pendingOffer(ann, bob, offered.body.data))
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 7 * 86_400_000)
    const parties = { from: ann.name, fromEmail: ann.email, to: bob.name, toEmail: bob.email }
    const names = { company: ann.company.name, ...parties }
    assert.deepEqual(await paramsOf(bob, 'ownership_offered'), [{ ...names, companyId: ann.company.id }])
    assert.deepEqual(await paramsOf(ann, 'ownership_offered'), [])
    for (const person of [ann, bob]) {
      assert.deepEqual((await read(person)).body.data, offered.body.data)
      assert.deepEqual(await list(person), [offered.body.data])
    }
    assert.deepEqual(await rolesIn(bob, ann), ['Manager'])
  })

  it('transfers the ownership when it is accepted, with notices to both parties', async () => {
    const { ann, bob } = await createTeam({ as: 'Manager' })
    const offered = await offer(ann, bob)
    const accepted = await accept(bob)
    const pending = pendingOffer(ann, bob, offered.body.data)
    assert.deepEqual([accepted.status, accepted.body.data], [200, { ...pending, status: 'accepted' }])
    assert.deepEqual(await rolesIn(bob, ann), ['Manager', 'Owner'])
    assert.deepEqual(await rolesIn(ann, ann), ['Admin'])
    const parties = { from: ann.name, fromEmail: ann.email, to: bob.name, toEmail: bob.email }
    const names = { company: ann.company.name, ...parties }
    for (const person of [ann, bob]) {
      assert.deepEqual(await paramsOf(person, 'ownership_transferred'), [names])
      assertProblem(await read(person), 404, 'transfer_not_found')
    }
    assertProblem(await ann.api.delete(`/companies/${ann.company.id}`), 403, 'permission_missing')
    assert.equal((await bob.api.delete(`/companies/${ann.company.id}`)).status, 200)
  })

  it('has audit records of the offer and of its acceptance', async () => {
    const { ann, bob } = await createTeam()
    const companyId = ann.company.id
    await offer(ann, bob)
    await accept(bob)
    const about = {
      target_type: 'company',
      target_id: companyId,
      changes: { owner: { from: ann.email, to: bob.email } },
    }
    assert.deepEqual(await recordsOf(companyId, 'ownership.offer'), [{ actor_id: ann.id, ...about }])
    assert.deepEqual(await recordsOf(companyId, 'ownership.accept'), [{ actor_id: bob.id, ...about }])
  })

  const pendingOffer = (from: Person, to: Person, { id, created_at, expires_at }: Record<string, string>) => ({
    id,
    company: { id: from.company.id, name: from.company.name },
    from: party(from),
    to: party(to),
    status: 'pending',
    created_at,
    expires_at,
  })

  const paramsOf = async ({ email }: Person, kind: 'ownership_offered' | 'ownership_transferred') => {
    await service.mailbox.to(email, kind)
    const rows = await service.db.query('select params from emails where recipient_email = $1 and kind = $2', [
      email,
      kind,
    ])
    return rows.map(({ params }) => params)
  }

  it('can be created and canceled by owners only', async () => {
    const { ann, bob, carl } = await createTeam()
    for (const person of [bob, carl]) assertProblem(await offer(person, bob), 403, 'owner_only')
    await offer(ann, bob)
    for (const person of [bob, carl]) assertProblem(await revoke(person), 403, 'owner_only')
    const dora = await join(ann, await signUp(service.client), ['Owner'])
    const revoked = await revoke(dora)
    assert.deepEqual([revoked.status, revoked.body.data.status], [200, 'revoked'])
    assertProblem(await revoke(ann), 404, 'transfer_not_found')
    assertProblem(await accept(bob), 404, 'transfer_not_found')
    assert.equal((await recordsOf(ann.company.id, 'ownership.cancel')).length, 1)
  })

  it('is possible to another active member who is not an owner', async () => {
    const { ann, bob } = await createTeam()
    const [stranger, dora] = [
      await signUp(service.client),
      await join(ann, await signUp(service.client), ['Owner', 'Member']),
    ]
    for (const id of [stranger.id, newId()]) assertProblem(await offer(ann, { id }), 404, 'member_not_found')
    for (const owner of [ann, dora]) assertProblem(await offer(ann, owner), 422, 'already_owner')
    assertProblem(await offer(ann, { id: 'x' }), 400, 'validation_failed')
    assertProblem(await ann.api.post(at(ann), {}), 400, 'validation_failed')
    await ann.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' })
    assertProblem(await offer(ann, bob), 404, 'member_not_found')
    await ann.api.patch(`/companies/users/${bob.id}`, { status: 'active' })
    await service.db.query(
      'update memberships set awaits_verification = true, opened_at = null where account_id = $1',
      [bob.id],
    )
    assertProblem(await offer(ann, bob), 404, 'member_not_found')
  })

  it('is created once from twenty parallel requests', async () => {
    const { ann, bob, carl } = await createTeam()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => offer(ann, i % 2 === 0 ? bob : carl)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)])
    assertProblem(await offer(ann, carl), 409, 'transfer_pending')
    assert.equal((await recordsOf(ann.company.id, 'ownership.offer')).length, 1)
    await revoke(ann)
    assert.equal((await offer(ann, carl)).status, 201)
  })

  it('is visible to owners and its receiver, and accepted or declined by its receiver only', async () => {
    const { ann, bob, carl } = await createTeam()
    const eve = await signUp(service.client)
    await offer(ann, bob)
    for (const [send, code] of [
      [read, 'transfer_not_found'],
      [(by: Person) => accept(by), 'transfer_not_found'],
      [decline, 'transfer_not_found'],
    ] as const) {
      assertProblem(await send(carl), 404, code)
      assertProblem(await send({ ...eve, company: ann.company }), 404, 'company_not_found')
    }
    assertProblem(await accept(ann), 404, 'transfer_not_found')
    for (const send of [revoke, (by: Person) => offer(by, bob)])
      assertProblem(await send({ ...eve, company: ann.company }), 404, 'company_not_found')
    assertProblem(await offer(eve, bob), 404, 'member_not_found')
    const dora = await join(ann, await signUp(service.client), ['Owner'])
    assert.equal((await read(dora)).status, 200)
    assert.deepEqual([(await list(carl)).length, (await list(dora)).length], [0, 1])
    assertProblem(await eve.api.get(`${at(ann)}s`), 404, 'company_not_found')
  })

  it('can be declined by its receiver and created again', async () => {
    const { ann, bob } = await createTeam()
    await offer(ann, bob)
    const declined = await decline(bob)
    assert.deepEqual([declined.status, declined.body.data.status], [200, 'declined'])
    assertProblem(await decline(bob), 404, 'transfer_not_found')
    assert.deepEqual(await rolesIn(ann, ann), ['Owner'])
    assert.equal((await recordsOf(ann.company.id, 'ownership.decline')).length, 1)
    assert.equal((await offer(ann, bob)).status, 201)
  })

  it('expires after 7 days', async () => {
    const { ann, bob, carl } = await createTeam()
    await offer(ann, bob)
    await service.db.query(
      `update ownership_offers set expires_at = now() - interval '1 second' where company_id = $1`,
      [ann.company.id],
    )
    for (const person of [ann, bob]) {
      assertProblem(await read(person), 404, 'transfer_not_found')
      assert.deepEqual(await list(person), [])
    }
    assertProblem(await accept(bob), 422, 'transfer_expired')
    assertProblem(await decline(bob), 422, 'transfer_expired')
    assertProblem(await revoke(ann), 404, 'transfer_not_found')
    assert.equal((await offer(ann, carl)).status, 201)
    assertProblem(await accept(bob), 404, 'transfer_not_found')
  })
})

describe('accepting ownership', () => {
  it('requires the password, and counts wrong ones as failed attempts', async () => {
    const { ann, bob } = await createTeam()
    await offer(ann, bob)
    for (const wrong of ['Wrong-horse-7', 'x']) assertProblem(await accept(bob, wrong), 422, 'current_password_wrong')
    for (const bad of ['', 5, null]) assertProblem(await accept(bob, bad), 400, 'validation_failed')
    assertProblem(await bob.api.post(`${at(bob)}/accept`), 400, 'validation_failed')
    const failures = () => service.db.query('select failures from password_attempts where email = $1', [bob.email])
    assert.deepEqual(await failures(), [{ failures: 2 }])
    assert.deepEqual(await rolesIn(bob, ann), ['Member'])
    await service.db.query('delete from known_networks where account_id = $1', [bob.id])
    await service.db.query(
      `update password_attempts set failures = 30, blocked_until = now() + interval '1 hour' where email = $1`,
      [bob.email],
    )
    assertProblem(await accept(bob), 429, 'too_many_attempts')
    await service.db.query(`update password_attempts set blocked_until = now() where email = $1`, [bob.email])
    assert.equal((await accept(bob)).status, 200)
    assert.deepEqual(await failures(), [])
  })

  it('checks no password for an account without an offer', async () => {
    const { ann, bob, carl } = await createTeam()
    await offer(ann, bob)
    assertProblem(await accept(carl, 'Wrong-horse-7'), 404, 'transfer_not_found')
    assert.deepEqual(await service.db.query('select from password_attempts where email = $1', [carl.email]), [])
  })

  it('is refused while a temporary password is in force', async () => {
    const { ann, bob } = await createTeam()
    await offer(ann, bob)
    await service.db.query('update sessions set must_change_password = true where account_id = $1', [bob.id])
    assertProblem(await accept(bob), 403, 'password_change_required')
  })

  it('succeeds once of twenty parallel requests', async () => {
    const { ann, bob, carl } = await createTeam()
    await offer(ann, bob)
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(bob)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(404)])
    assert.equal((await recordsOf(ann.company.id, 'ownership.accept')).length, 1)
    assert.equal((await service.mailbox.to(ann.email, 'ownership_transferred')).length, 1)
    assert.deepEqual([await rolesIn(ann, ann), await rolesIn(bob, ann)], [['Admin'], ['Member', 'Owner']])
    assert.equal((await offer(bob, carl)).status, 201)
  })

  it('has one outcome when it is accepted, declined and canceled in parallel', async () => {
    for (let round = 0; round < 5; round++) {
      const { ann, bob } = await createTeam()
      await offer(ann, bob)
      const answers = await Promise.all([accept(bob), decline(bob), revoke(ann)])
      assert.equal(
        answers.filter(({ status }) => status === 200).length,
        1,
        JSON.stringify(answers.map(({ body }) => body)),
      )
      const passed = answers[0]?.status === 200
      assert.deepEqual(await rolesIn(ann, ann), passed ? ['Admin'] : ['Owner'])
      assert.deepEqual(await rolesIn(bob, ann), passed ? ['Member', 'Owner'] : ['Member'])
    }
  })

  it('keeps other owners, and does not duplicate the role Admin', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    const dora = await join(ann, await signUp(service.client), ['Owner', 'Admin', 'Member'])
    await offer(dora, bob)
    assert.equal((await accept(bob)).status, 200)
    assert.deepEqual(await rolesIn(dora, ann), ['Admin', 'Member'])
    assert.deepEqual(await rolesIn(ann, ann), ['Owner'])
  })

  it('is refused when the password was replaced while it was checked', async () => {
    const { ann, bob } = await createTeam()
    await offer(ann, bob)
    await service.db.query('begin')
    await service.db.query('select from companies where id = $1 for update', [ann.company.id])
    const late = accept(bob)
    await service.db.waitForLock()
    await service.db.query(`update passwords set hash = 'another' where account_id = $1`, [bob.id])
    await service.db.query('commit')
    assertProblem(await late, 422, 'current_password_wrong')
    assert.deepEqual(await rolesIn(ann, ann), ['Owner'])
  })
})

describe('an offer ends for good when', () => {
  const ways: Record<
    string,
    (cast: Record<'ann' | 'bob' | 'dora', Person>, roles: Record<string, string>) => Promise<unknown>
  > = {
    'its giver is demoted': async ({ ann, dora }, roles) => {
      await dora.api.patch(`/companies/users/${ann.id}`, { roleIds: [roles.Member] })
      await dora.api.patch(`/companies/users/${ann.id}`, { roleIds: [roles.Owner] })
    },
    'its giver is deactivated': async ({ ann, dora }) => {
      await dora.api.patch(`/companies/users/${ann.id}`, { status: 'inactive' })
      await dora.api.patch(`/companies/users/${ann.id}`, { status: 'active' })
    },
    'its giver leaves': async ({ ann, dora }) => {
      await ann.api.post(`/companies/${ann.company.id}/leave`)
      await join(dora, ann, ['Owner'])
    },
    'its receiver is deactivated': async ({ bob, dora }) => {
      await dora.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' })
      await dora.api.patch(`/companies/users/${bob.id}`, { status: 'active' })
    },
    'its receiver is detached': async ({ bob, dora }) => {
      await dora.api.delete(`/companies/users/${bob.id}`)
      await join(dora, bob)
    },
    'its receiver becomes an owner by a role': async ({ bob, dora }, roles) => {
      await dora.api.patch(`/companies/users/${bob.id}`, { roleIds: [roles.Owner] })
    },
    'the company is deleted': async ({ ann }) => {
      await ann.api.delete(`/companies/${ann.company.id}`)
      await ann.api.post(`/companies/${ann.company.id}/restore`)
    },
  }
  for (const [what, happen] of Object.entries(ways))
    it(what, async () => {
      const { ann, bob } = await createTeam()
      const dora = await join(ann, await signUp(service.client), ['Owner'])
      const roles = await rolesOf(ann)
      assert.equal((await offer(ann, bob)).status, 201)
      await happen({ ann, bob, dora }, roles)
      assertProblem(await accept(bob), 404, 'transfer_not_found')
      assertProblem(await read(dora), 404, 'transfer_not_found')
    })

  it('a role was removed in the database: the offer is checked again when it is accepted', async () => {
    const { ann, bob } = await createTeam()
    const dora = await join(ann, await signUp(service.client), ['Owner'])
    const roles = await rolesOf(ann)
    await offer(ann, bob)
    await service.db.query('update membership_roles set role_id = $1 where account_id = $2', [roles.Admin, ann.id])
    assertProblem(await accept(bob), 422, 'transfer_expired')
    assertProblem(await read(dora), 404, 'transfer_not_found')
    assert.deepEqual(await rolesIn(bob, ann), ['Member'])
  })

  it('its giver was demoted in a race of two owners', async () => {
    for (let round = 0; round < 10; round++) {
      const { ann, bob } = await createTeam()
      const dora = await join(ann, await signUp(service.client), ['Owner'])
      const roles = await rolesOf(ann)
      await offer(ann, bob)
      const [accepted, demoted] = await Promise.all([
        accept(bob),
        dora.api.patch(`/companies/users/${ann.id}`, { roleIds: [roles.Member] }),
      ])
      assert.equal(demoted.status, 200)
      // 422: the offer was read before its giver was demoted.
      assert.ok([200, 404, 422].includes(accepted.status), JSON.stringify(accepted.body))
      const expected = accepted.status === 200 ? ['Member', 'Owner'] : ['Member']
      assert.deepEqual(await rolesIn(bob, ann), expected)
    }
  })

  it('but not when another member is added or changed', async () => {
    const { ann, bob, carl } = await createTeam()
    await offer(ann, bob)
    await addMember(ann)
    await ann.api.patch(`/companies/users/${carl.id}`, { status: 'inactive' })
    await ann.api.patch(`/companies/users/${bob.id}`, { phone: '1' })
    assert.equal((await accept(bob)).status, 200)
  })
})
