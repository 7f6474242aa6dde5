import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changeAddress, freeFormerAddresses } from '../../../test/support/addresses.ts'
import {
  addDomain,
  anyDomain,
  chooseJoining,
  confirmAddress,
  joinable,
  joinByDomain,
  personAt,
  personWith,
  publish,
  useTestAppWithDns,
  verifiedDomain,
  verify,
} from '../../../test/support/domains.ts'
import { confirmMailbox, mailboxCodeTo } from '../../../test/support/factors.ts'
import { addManagedMember, createRole, join, rolesOf } from '../../../test/support/members.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { assertProblem, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { domainVouchingFor } from '../../lib/emails.ts'
import { newId } from '../../lib/ids.ts'
import { disableAccount, enableAccount } from '../auth/disable-account.ts'
import { removePasswords } from '../auth/operated-accounts.ts'
import { suspendCompany } from '../companies/suspend-company.ts'

const service = await useTestAppWithDns()

/** Local parts by which a mail server may deliver to another domain, or a program may read another address. */
const LEADING_ELSEWHERE = ['eve%evil.example', 'evil.example!eve', '=?utf-8?q?eve=40evil.example?=']

const membersOf = async ({ api }: Person) => (await api.get('/companies/users')).body.total
const rolesIn = async (person: Person, { company }: Person) =>
  (await person.api.get('/auth/me')).body.data.companyRoles[company.id]
const recordsOf = ({ company }: Person, action: string) =>
  service.db.query(
    `select actor_id, target_type, target_id, changes, ip is not null as has_address from audit_records
     where company_id = $1 and action = $2 and outcome = 'done' order by created_at, id`,
    [company.id, action],
  )
const detach = (by: Person, { id }: Person) => by.api.delete(`/companies/users/${id}`)
const leave = (person: Person, { company }: Person) => person.api.post(`/companies/${company.id}/leave`)

/** An intruder in the account of the owner Eve has let in everyone at a domain as an Admin, and the account was recovered since. */
async function createIntrusion(createEve = async (bob: Person) => join(bob, await signUp(service.client), ['Owner'])) {
  const bob = await signUp(service.client)
  const eve = await createEve(bob)
  const { Admin = '' } = await rolesOf(bob)
  const domain = await verifiedDomain(service, eve, { joinPolicy: 'auto', joinRoleIds: [Admin] })
  await removePasswords(service, OPERATOR, eve.id, undefined)
  return { bob, eve, domain, Admin }
}

/** An owner of this company alone, so that the account can be deleted once it has left. */
async function createManagedOwner(by: Person): Promise<Person> {
  const [{ Owner }, person] = [await rolesOf(by), await addManagedMember(service, by)]
  assert.equal((await by.api.patch(`/companies/users/${person.id}`, { roleIds: [Owner] })).status, 200)
  return person
}

describe('joining by a domain with the policy auto', () => {
  it('waits for a decision once the account of who chose it was recovered, also after that account has left', async () => {
    const { bob, eve, domain } = await createIntrusion()
    const [first, second] = [await personAt(service, domain), await personAt(service, domain)]
    assert.equal((await joinable(first))[0].joining, 'request')
    assert.equal((await joinByDomain(first, bob)).body.data.status, 'requested')

    assert.equal((await detach(bob, eve)).status, 200)
    assert.equal((await joinable(second))[0].joining, 'request')
    assert.equal((await joinByDomain(second, bob)).body.data.status, 'requested')
    assert.deepEqual([await rolesIn(first, bob), await rolesIn(second, bob)], [undefined, undefined])
  })

  it('waits for a decision while the account of who chose it is disabled', async () => {
    const bob = await signUp(service.client)
    const eve = await join(bob, await signUp(service.client), ['Owner'])
    const domain = await verifiedDomain(service, eve, { joinPolicy: 'auto' })
    const [first, second] = [await personAt(service, domain), await personAt(service, domain)]
    await disableAccount(service.database, OPERATOR, eve.id, { notifies: false })
    assert.equal((await joinable(first))[0].joining, 'request')
    assert.equal((await joinByDomain(first, bob)).body.data.status, 'requested')
    await enableAccount(service.database, OPERATOR, eve.id, { notifies: false })
    assert.equal((await joinByDomain(second, bob)).body.data.status, 'joined')
  })

  it('waits for a decision once who chose it is no owner any more, and gives no roles of that choice', async () => {
    const bob = await signUp(service.client)
    const eve = await join(bob, await signUp(service.client), ['Owner'])
    const { Admin = '', Owner = '' } = await rolesOf(bob)
    const domain = await verifiedDomain(service, eve, { joinPolicy: 'auto', joinRoleIds: [Admin] })
    const [first, second] = [await personAt(service, domain), await personAt(service, domain)]
    const setRoles = (roleIds: string[]) => bob.api.patch(`/companies/users/${eve.id}`, { roleIds })
    assert.equal((await setRoles([Admin])).status, 200)
    assert.equal((await joinable(first))[0].joining, 'request')
    const { status, request } = (await joinByDomain(first, bob)).body.data
    assert.equal(status, 'requested')
    assert.equal((await bob.api.post(`/companies/join-requests/${request.id}/approve`)).status, 200)
    assert.deepEqual(await rolesIn(first, bob), ['Member'])
    assert.equal((await setRoles([Owner])).status, 200)
    assert.equal((await joinable(second))[0].joining, 'auto')
    assert.equal((await detach(bob, eve)).status, 200)
    await join(bob, eve, ['Owner'])
    assert.equal((await joinByDomain(second, bob)).body.data.status, 'requested')
    assert.equal((await chooseJoining(bob, domain, { joinPolicy: 'auto' })).joinPolicy, 'auto')
    assert.equal((await joinByDomain(await personAt(service, domain), bob)).body.data.status, 'joined')
  })

  it('waits for a decision after the account of who chose it was deleted, and gives no roles of its choice', async () => {
    const { bob, eve, domain, Admin } = await createIntrusion(createManagedOwner)
    assert.equal((await detach(bob, eve)).status, 200)
    await service.db.query('delete from accounts where id = $1', [eve.id])
    const person = await personAt(service, domain)
    assert.equal((await joinable(person))[0].joining, 'request')
    const { status, request } = (await joinByDomain(person, bob)).body.data
    assert.equal(status, 'requested')
    assert.equal((await bob.api.post(`/companies/join-requests/${request.id}/approve`)).status, 200)
    assert.deepEqual(await rolesIn(person, bob), ['Member'])
    const { joinPolicy, joinRoles } = (await bob.api.get(`/companies/domains/${domain.id}`)).body.data
    assert.deepEqual([joinPolicy, joinRoles], ['request', [{ id: Admin, name: 'Admin', given: false }]])
    assert.equal((await chooseJoining(bob, domain, { joinPolicy: 'auto' })).joinPolicy, 'auto')
  })

  it('does not give the roles that were chosen in an account that was recovered since, not by an approval either', async () => {
    const { bob, domain } = await createIntrusion()
    const person = await personAt(service, domain)
    const { id } = (await joinByDomain(person, bob)).body.data.request
    assert.equal((await bob.api.post(`/companies/join-requests/${id}/approve`)).status, 200)
    assert.deepEqual(await rolesIn(person, bob), ['Member'])
  })

  it('is chosen again by an owner, policy and roles each by itself, and each is recorded', async () => {
    const { bob, eve, domain, Admin } = await createIntrusion()
    const { joinPolicy, joinRoles } = (await bob.api.get(`/companies/domains/${domain.id}`)).body.data
    assert.deepEqual([joinPolicy, joinRoles], ['request', [{ id: Admin, name: 'Admin', given: false }]])
    const recorded = (await recordsOf(bob, 'domains.update')).length

    assert.equal((await chooseJoining(bob, domain, { joinPolicy: 'auto' })).joinRoles[0]?.given, false)
    const first = (await joinByDomain(await personAt(service, domain), bob)).body.data
    assert.deepEqual([first.status, first.roles], ['joined', ['Member']])

    assert.equal((await chooseJoining(bob, domain, { joinRoleIds: [Admin] })).joinPolicy, 'auto')
    const second = (await joinByDomain(await personAt(service, domain), bob)).body.data
    assert.deepEqual([second.status, second.roles], ['joined', ['Admin']])
    assert.deepEqual(
      (await recordsOf(bob, 'domains.update')).slice(recorded).map(({ changes }) => changes),
      [
        { join_policy: { from: 'request', to: 'auto' }, approved_by: { from: eve.email, to: bob.email } },
        { join_roles: { from: [], to: ['Admin'] } },
      ],
    )
  })

  it('does not come back when an owner chooses other roles after a recovery', async () => {
    const { bob, domain } = await createIntrusion()
    assert.equal((await chooseJoining(bob, domain, { joinRoleIds: [] })).joinPolicy, 'request')
    const joining = await joinByDomain(await personAt(service, domain), bob)
    assert.equal(joining.body.data.status, 'requested')
  })

  it('makes a person with a verified address a member at once, and tells members who let people in', async () => {
    const ann = await signUp(service.client)
    const manager = await join(ann, await signUp(service.client), ['Manager'])
    const member = await join(ann, await signUp(service.client))
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto' })
    const bob = await personAt(service, domain)
    const shown = { id: ann.company.id, name: ann.company.name }
    assert.deepEqual(await joinable(bob), [{ ...shown, domain: domain.name, joining: 'auto', request: null }])

    const joined = await joinByDomain(bob, ann)

    assert.equal(joined.status, 200)
    assert.deepEqual(joined.body.data, { company: shown, status: 'joined', roles: ['Member'], request: null })
    assert.deepEqual(await rolesIn(bob, ann), ['Member'])
    assert.equal((await bob.api.with({ company: ann.company.id }).get('/companies/users')).status, 200)
    assert.equal(await membersOf(ann), 4)
    assert.deepEqual(await joinable(bob), [])
    const target = { target_type: 'member', target_id: bob.id }
    const changes = { roles: { to: ['Member'] }, domain: { to: domain.name } }
    assert.deepEqual(await recordsOf(ann, 'users.join'), [{ actor_id: bob.id, ...target, changes, has_address: true }])
    for (const [person, count] of [
      [ann, 1],
      [manager, 1],
      [member, 0],
    ] as const) {
      const emails = await service.mailbox.to(person.email, 'joined_by_domain')
      assert.equal(emails.length, count)
      for (const email of emails) assert.ok(email.text.includes(bob.email) && email.subject.includes(bob.name))
    }
    assertProblem(await joinByDomain(bob, ann), 409, 'already_member')
  })

  it('makes a person one member, however often they ask at once', async () => {
    const ann = await signUp(service.client)
    const bob = await personAt(service, await verifiedDomain(service, ann, { joinPolicy: 'auto' }))

    const answers = await Promise.all(Array.from({ length: 20 }, () => joinByDomain(bob, ann)))

    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, ...Array(19).fill(409)])
    assert.equal(await membersOf(ann), 2)
    assert.equal((await recordsOf(ann, 'users.join')).length, 1)
  })

  it('needs a verified address at exactly this domain', async () => {
    const ann = await signUp(service.client)
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto' })
    const unverified = await signUp(service.client, { email: `eve@${domain.name}` })
    const others = [
      await personAt(service, { name: `mail.${domain.name}` }),
      await personAt(service, { name: `x${domain.name}` }),
      await personAt(service, { name: `${domain.name}.example` }),
    ]
    for (const person of [unverified, ...others]) {
      assert.deepEqual(await joinable(person), [])
      assertProblem(await joinByDomain(person, ann), 404, 'company_not_found')
    }
    assertProblem(await unverified.api.post(`/auth/companies/${newId()}/join`), 404, 'company_not_found')
    await confirmAddress(service, unverified)
    assertProblem(await joinByDomain(unverified, ann), 403, 'mailbox_code_required')
    assert.equal((await joinByDomain(unverified, ann, await mailboxCodeTo(service, unverified.email))).status, 200)
  })

  it('vouches for no address whose mailbox may be at another domain', async () => {
    const ann = await signUp(service.client)
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto' })
    for (const local of LEADING_ELSEWHERE) {
      const person = await signUp(service.client, { email: `${local}@${domain.name}` })
      await confirmAddress(service, person)
      await confirmMailbox(service, person)
      assert.deepEqual(await joinable(person), [], local)
      assertProblem(await joinByDomain(person, ann), 404, 'company_not_found')
    }
    const usual = await signUp(service.client, { email: `o'neill+{a|b}=c/d@${domain.name}` })
    await confirmAddress(service, usual)
    assert.equal((await joinable(usual)).length, 1)
  })

  it('asks for the domain under the lock of the company by the same rule as before it', async () => {
    const addresses = ['a@b.example', 'a=b?c@b.example', ...LEADING_ELSEWHERE.map((local) => `${local}@b.example`)]
    const rows = await service.db.query(
      'select address, domain_vouching_for(address) as domain from unnest($1::text[]) address',
      [addresses],
    )
    assert.deepEqual(
      rows,
      addresses.map((address) => ({ address, domain: domainVouchingFor(address) })),
    )
    assert.deepEqual(rows.map(({ domain }) => domain).filter(Boolean), ['b.example', 'b.example'])
  })

  for (const joinPolicy of ['auto', 'request'])
    it(`lets no stranger in whose sign-up the owner of the address has confirmed: ${joinPolicy}`, async () => {
      const ann = await signUp(service.client)
      const domain = await verifiedDomain(service, ann, { joinPolicy })
      const email = `victim@${domain.name}`
      const stranger = await signUp(service.client, { email })
      await confirmAddress(service, { email })
      // A later sign-in knows no more than the password either.
      const again = await signIn(service.client, email)

      for (const session of [stranger, again]) {
        for (const guess of [undefined, '00000000', '12345678'])
          assert.ok([401, 403].includes((await joinByDomain(session, ann, guess)).status))
      }
      assert.equal(await membersOf(ann), 1)
      assert.equal((await ann.api.get('/companies/join-requests')).body.total, 0)
      const [code] = (await service.mailbox.to(email, 'mailbox_code')).slice(-1)
      assert.match(code?.text ?? '', /wants to join a company/)

      // The code is of the session that asked for it; the owner of the address comes in by a new password.
      await service.client.post('/auth/forgot-password', { email })
      const chosen = { token: await service.mailbox.token(email, 'reset_password'), newPassword: 'Another-horse-8' }
      assert.equal((await service.client.post('/auth/reset-password', chosen)).status, 200)
      const owner = await signIn(service.client, email, 'Another-horse-8')
      assertProblem(await joinByDomain(owner, ann), 403, 'mailbox_code_required')
      assert.equal((await joinByDomain(owner, ann, await mailboxCodeTo(service, email))).status, 200)
      assertProblem(await joinByDomain(stranger, ann), 401, 'token_invalid')
    })

  it('takes no code for an address that the account no longer has', async () => {
    const ann = await signUp(service.client)
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto' })
    const bob = await personAt(service, domain)
    await service.db.query(`update accounts set email = 'x' || email where id = $1`, [bob.id])
    assertProblem(await joinByDomain(bob, ann), 403, 'mailbox_code_required')
    assert.equal(await membersOf(ann), 1)
  })

  it('is refused, asking as well, where the policy of the company admits other domains alone', async () => {
    const ann = await signUp(service.client)
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto' })
    const bob = await personAt(service, domain)
    await ann.api.patch('/companies/policy', { members: { domains: ['corp.example'] } })
    assertProblem(await joinByDomain(bob, ann), 403, 'domain_not_allowed')
    await chooseJoining(ann, domain, { joinPolicy: 'request' })
    assertProblem(await joinByDomain(bob, ann), 403, 'domain_not_allowed')
    await ann.api.patch('/companies/policy', { members: { domains: ['corp.example', domain.name] } })
    const { request } = (await joinByDomain(bob, ann)).body.data
    await ann.api.patch('/companies/policy', { members: { domains: ['corp.example'] } })
    const approve = () => ann.api.post(`/companies/join-requests/${request.id}/approve`, {})
    assertProblem(await approve(), 403, 'domain_not_allowed')
    await ann.api.patch('/companies/policy', { members: { domains: [] } })
    assert.equal((await approve()).status, 200)
  })

  it('is closed to a person of whose password an administrator knows', async () => {
    const ann = await signUp(service.client)
    const bob = await personAt(service, await verifiedDomain(service, ann, { joinPolicy: 'auto' }))
    await service.db.query('update accounts set password_shown_at = now(), email_verified_at = null where id = $1', [
      bob.id,
    ])
    assert.deepEqual(await joinable(bob), [])
    assertProblem(await joinByDomain(bob, ann), 404, 'company_not_found')
  })

  it('ends with the policy, the verification, the domain, and the company', async () => {
    const ann = await signUp(service.client)
    const other = await signUp(service.client)
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto' })
    const bob = await personAt(service, domain)
    const closed = async () => {
      assert.deepEqual(await joinable(bob), [])
      assertProblem(await joinByDomain(bob, ann), 404, 'company_not_found')
    }

    await suspendCompany(service.parts, OPERATOR, ann.company.id, { notifies: false })
    await closed()
    await service.db.query('update companies set suspended_at = null where id = $1', [ann.company.id])
    assert.equal((await ann.api.delete(`/companies/${ann.company.id}`)).status, 200)
    await closed()
    assert.equal((await ann.api.post(`/companies/${ann.company.id}/restore`)).status, 200)
    await chooseJoining(ann, domain, { joinPolicy: 'none' })
    await closed()
    await chooseJoining(ann, domain, { joinPolicy: 'auto' })
    assert.equal((await joinable(bob)).length, 1)
    const moved = await addDomain(other, domain.name)
    publish(service.dns, moved)
    await verify(other, moved)
    await closed()
    await ann.api.delete(`/companies/domains/${domain.id}`)
    await closed()
  })

  it('brings no former member back: not a removed one, and not one who left to shed what the company decided', async () => {
    const ann = await signUp(service.client)
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto' })
    const [removed, deactivated, restricted, left] = [
      await personAt(service, domain),
      await personAt(service, domain),
      await personAt(service, domain),
      await personAt(service, domain),
    ]
    for (const person of [removed, deactivated, restricted, left]) await joinByDomain(person, ann)
    const { id: weak } = await createRole(ann, 'Weak')
    await ann.api.patch(`/companies/users/${deactivated.id}`, { status: 'inactive' })
    await ann.api.patch(`/companies/users/${restricted.id}`, { roleIds: [weak] })
    assertProblem(await joinByDomain(deactivated, ann), 409, 'already_member')

    await detach(ann, removed)
    for (const person of [deactivated, restricted, left]) assert.equal((await leave(person, ann)).status, 200)

    for (const person of [removed, deactivated, restricted, left]) {
      assert.equal((await joinable(person))[0]?.joining, 'request')
      assert.equal((await joinByDomain(person, ann)).body.data.status, 'requested')
      assert.equal(await rolesIn(person, ann), undefined)
    }
    assert.equal(await membersOf(ann), 1)
    // The company decides: a person whom it adds is no former member.
    await ann.api.post(`/companies/${ann.company.id}/members`, { userId: left.id, roleNames: ['Member'] })
    assert.deepEqual(await service.db.query('select from former_members where account_id = $1', [left.id]), [])
    assert.equal((await ann.api.get('/companies/join-requests')).body.total, 3)
  })

  for (const [how, end] of Object.entries({
    'was removed': detach,
    'was deactivated': (ann, bob) => ann.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' }),
    left: (ann, bob) => leave(bob, ann),
  } satisfies Record<string, (ann: Person, bob: Person) => Promise<unknown>>))
    for (const isMovedFirst of [true, false])
      it(`brings no member back as another account with the address: who ${how}, ${isMovedFirst ? 'after' : 'before'} giving it up`, async () => {
        const ann = await signUp(service.client)
        const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto' })
        const bob = await personAt(service, domain)
        assert.equal((await joinByDomain(bob, ann)).body.data.status, 'joined')
        if (isMovedFirst) await changeAddress(service, bob)
        await end(ann, bob)
        if (!isMovedFirst) await changeAddress(service, bob)
        await freeFormerAddresses(service, bob)

        const again = await personWith(service, bob.email)
        assert.equal((await joinable(again))[0].joining, 'request')
        const { status, request } = (await joinByDomain(again, ann)).body.data
        assert.equal(status, 'requested')
        assert.equal((await ann.api.post(`/companies/join-requests/${request.id}/approve`)).status, 200)
        assert.deepEqual(await rolesIn(again, ann), ['Member'])
        const other = await personAt(service, domain)
        assert.equal((await joinByDomain(other, ann)).body.data.status, 'joined')
      })

  it('counts an account as a former member that was removed before it ever came', async () => {
    const ann = await signUp(service.client)
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto' })
    const bob = await personAt(service, domain)
    await ann.api.post(`/companies/${ann.company.id}/members`, { userId: bob.id, roleNames: ['Member'] })
    await detach(ann, bob)
    assert.equal((await joinByDomain(bob, ann)).body.data.status, 'requested')
  })
})

describe('the roles of people who join', () => {
  it('are those that an owner has chosen', async () => {
    const ann = await signUp(service.client)
    const [sales, support] = [await createRole(ann, 'Sales', ['users:create']), await createRole(ann, 'Support')]
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto', joinRoleIds: [sales.id, support.id] })
    assert.deepEqual(domain.joinRoles, [
      { id: sales.id, name: 'Sales', given: true },
      { id: support.id, name: 'Support', given: true },
    ])
    const bob = await personAt(service, domain)

    assert.deepEqual((await joinByDomain(bob, ann)).body.data.roles, ['Sales', 'Support'])
    assert.deepEqual(await rolesIn(bob, ann), ['Sales', 'Support'])
    await chooseJoining(ann, domain, { joinRoleIds: [] })
    assert.deepEqual((await joinByDomain(await personAt(service, domain), ann)).body.data.roles, ['Member'])
  })

  it('never make owners, and exist in the company', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const [roles, others] = [await rolesOf(ann), await rolesOf(eve)]
    const domain = await addDomain(ann)
    const choose = (joinRoleIds: unknown[]) => ann.api.patch(`/companies/domains/${domain.id}`, { joinRoleIds })
    assertProblem(await choose([roles.Member, roles.Owner]), 422, 'owner_role_not_allowed')
    assertProblem(await choose([others.Member]), 422, 'role_unknown')
    assertProblem(await choose(['x']), 400, 'validation_failed')
    assert.equal((await choose([roles.Admin])).status, 200)
  })

  it('are not given once they give more than an owner has approved, until one chooses them again', async () => {
    const ann = await signUp(service.client)
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    const role = await createRole(ann, 'Guest', ['users:read'])
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto', joinRoleIds: [role.id] })
    const given = async () => (await joinByDomain(await personAt(service, domain), ann)).body.data.roles
    assert.deepEqual(await given(), ['Guest'])

    // What Member gives is open to everyone who joins anyway.
    assert.equal((await admin.api.patch(role.path, { permissions: ['branches:read'] })).status, 200)
    assert.deepEqual(await given(), ['Guest'])
    assert.equal((await admin.api.patch(role.path, { permissions: ['users:read', 'users:delete'] })).status, 200)
    assert.deepEqual(await given(), ['Member'])
    const shown = (await admin.api.get(`/companies/domains/${domain.id}`)).body.data.joinRoles
    assert.deepEqual(shown, [{ id: role.id, name: 'Guest', given: false }])

    await chooseJoining(ann, domain, { joinRoleIds: [role.id] })
    assert.deepEqual(await given(), ['Guest'])
  })

  it('follow when a role is deleted, as far as the replacing one gives no more', async () => {
    const ann = await signUp(service.client)
    const roles = await rolesOf(ann)
    const [first, second, third] = [
      await createRole(ann, 'First', ['users:create']),
      await createRole(ann, 'Second', ['users:create']),
      await createRole(ann, 'Third'),
    ]
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto', joinRoleIds: [first.id] })
    const given = async () => (await joinByDomain(await personAt(service, domain), ann)).body.data.roles
    const detachAll = async (role: { id: string }) => {
      const { body } = await ann.api.get(`/companies/users?roleId=${role.id}`)
      for (const member of body.data) assert.equal((await detach(ann, member)).status, 200)
    }
    assert.deepEqual(await given(), ['First'])

    assertProblem(await ann.api.delete(first.path), 409, 'role_in_use')
    assert.equal((await ann.api.delete(`${first.path}?reassignTo=${second.id}`)).status, 200)
    assert.deepEqual(await given(), ['Second'])
    assert.equal((await ann.api.delete(`${second.path}?reassignTo=${roles.Owner}`)).status, 200)
    assert.deepEqual(await given(), ['Member'])
    await chooseJoining(ann, domain, { joinRoleIds: [third.id] })
    assert.deepEqual(await given(), ['Third'])
    await detachAll(third)
    // Without it people would get Member, which gives more: no member chooses that but an owner.
    assertProblem(await ann.api.delete(third.path), 409, 'role_in_use')
    assert.deepEqual(await given(), ['Third'])
    await chooseJoining(ann, domain, { joinRoleIds: [] })
    await detachAll(third)
    assert.equal((await ann.api.delete(third.path)).status, 200)
    assert.deepEqual(await given(), ['Member'])
  })
})

describe('what a person sees of companies to join', () => {
  it('is the name, and nothing of companies that only claim the domain', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const name = anyDomain()
    const claimed = await addDomain(eve, name)
    await chooseJoining(eve, claimed, { joinPolicy: 'auto' })
    const bob = await personAt(service, { name })
    assert.deepEqual(await joinable(bob), [])
    assertProblem(await joinByDomain(bob, eve), 404, 'company_not_found')
    await verifiedDomain(service, ann, { name, joinPolicy: 'request' })
    assert.deepEqual(
      (await joinable(bob)).map((company: object) => Object.keys(company).sort()),
      [['domain', 'id', 'joining', 'name', 'request']],
    )
  })
})
