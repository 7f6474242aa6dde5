import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changeAddress, freeFormerAddresses } from '../../../test/support/addresses.ts'
import {
  chooseJoining,
  confirmAddress,
  joinable,
  joinByDomain,
  personAt,
  personWith,
  type TestDomain,
  useTestAppWithDns,
  verifiedDomain,
} from '../../../test/support/domains.ts'
import { confirmMailbox } from '../../../test/support/factors.ts'
import { createRole, join, rolesOf } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestAppWithDns()

const path = '/companies/join-requests'
const own = async ({ api }: Person) => (await api.get('/auth/join-requests')).body.data
const listed = async ({ api }: Person) => (await api.get(path)).body.data
const approve = (by: Person, id: string, body: object = {}) => by.api.post(`${path}/${id}/approve`, body)
const decline = (by: Person, id: string) => by.api.post(`${path}/${id}/decline`)
const cancel = ({ api }: Person, id: string) => api.delete(`/auth/join-requests/${id}`)
const rolesIn = async (person: Person, { company }: Person) =>
  (await person.api.get('/auth/me')).body.data.companyRoles[company.id]
const emails = async ({ email }: Person, kind: 'join_requested' | 'join_approved' | 'join_declined') =>
  service.mailbox.to(email, kind)
const recordsOf = ({ company }: Person, action: string) =>
  service.db.query(
    `select actor_id, target_type, target_id, target_label, changes, ip, user_agent, via_id from audit_records
     where company_id = $1 and action = $2 and outcome = 'done'`,
    [company.id, action],
  )

async function ask(person: Person, company: Person): Promise<string> {
  const answer = await joinByDomain(person, company)
  assert.deepEqual([answer.status, answer.body.data.status], [200, 'requested'], JSON.stringify(answer.body))
  return answer.body.data.request.id
}

async function createScene(): Promise<{ ann: Person; domain: TestDomain; bob: Person }> {
  const ann = await signUp(service.client)
  const domain = await verifiedDomain(service, ann, { joinPolicy: 'request' })
  return { ann, domain, bob: await personAt(service, domain) }
}

describe('a request to join', () => {
  it('waits for the company, which learns name and address and no more', async () => {
    const { ann, domain, bob } = await createScene()
    const manager = await join(ann, await signUp(service.client), ['Manager'])
    const member = await join(ann, await signUp(service.client))

    const id = await ask(bob, ann)

    const [request] = await listed(member)
    const account = { id: bob.id, name: bob.name, email: bob.email }
    assert.deepEqual(request, { id, account, status: 'pending', created_at: request.created_at })
    const company = { id: ann.company.id, name: ann.company.name }
    assert.deepEqual(await own(bob), [{ id, company, created_at: request.created_at }])
    const { created_at } = request
    assert.deepEqual(await joinable(bob), [
      { ...company, domain: domain.name, joining: 'request', request: { id, created_at } },
    ])
    const unseen = { ip: null, user_agent: '', via_id: null }
    const target = { target_type: 'join_request', target_id: id, target_label: bob.email }
    assert.deepEqual(await recordsOf(ann, 'join_requests.create'), [
      { actor_id: bob.id, ...target, changes: { domain: { to: domain.name } }, ...unseen },
    ])
    assert.deepEqual(
      [(await emails(ann, 'join_requested')).length, (await emails(manager, 'join_requested')).length],
      [1, 1],
    )
    assert.deepEqual(await emails(member, 'join_requested'), [])
    for (const act of [approve, decline]) assertProblem(await act(member, id), 403, 'permission_missing')
    assert.equal(await rolesIn(bob, ann), undefined)
  })

  it('is told to five of the members who can decide, however many they are', async () => {
    const { ann, bob } = await createScene()
    const managers = []
    for (let count = 0; count < 6; count++) managers.push(await join(ann, await signUp(service.client), ['Manager']))
    await ask(bob, ann)
    await service.mailbox.all()
    const told = await Promise.all([ann, ...managers].map((each) => emails(each, 'join_requested')))
    assert.deepEqual(told.map(({ length }) => length).sort(), [0, 0, 1, 1, 1, 1, 1])
  })

  it('is one, however often the person asks, with one email', async () => {
    const { ann, bob } = await createScene()
    const answers = await Promise.all(Array.from({ length: 10 }, () => joinByDomain(bob, ann)))
    const ids = new Set(answers.map(({ body }) => body.data.request.id))
    assert.equal(ids.size, 1)
    assert.deepEqual([...ids], [await ask(bob, ann)])
    assert.equal((await listed(ann)).length, 1)
    assert.equal((await emails(ann, 'join_requested')).length, 1)
  })

  it('makes its person a member when it is approved, and tells them', async () => {
    const { ann, bob } = await createScene()
    const manager = await join(ann, await signUp(service.client), ['Manager'])
    const id = await ask(bob, ann)

    const approved = await approve(manager, id)

    assert.deepEqual([approved.status, approved.body.data.status], [200, 'approved'])
    assert.deepEqual(await rolesIn(bob, ann), ['Member'])
    assert.deepEqual([await listed(ann), await own(bob), await joinable(bob)], [[], [], []])
    assert.equal((await ann.api.get('/companies/users')).body.total, 3)
    const [email] = await emails(bob, 'join_approved')
    assert.ok(email?.subject.includes(ann.company.name))
    const target = { target_type: 'member', target_id: bob.id, target_label: bob.email }
    const [{ ip: _, user_agent: __, ...record } = {}] = await recordsOf(ann, 'join_requests.approve')
    const changes = { roles: { to: ['Member'] } }
    assert.deepEqual(record, { actor_id: manager.id, ...target, changes, via_id: manager.sessionId })
    assertProblem(await approve(manager, id), 404, 'join_request_not_found')
  })

  it('gives the roles that its approver chooses and may grant', async () => {
    const { ann, domain, bob } = await createScene()
    const manager = await join(ann, await signUp(service.client), ['Manager'])
    const roles = await rolesOf(ann)
    const strong = await createRole(ann, 'Strong', ['users:delete'])
    await chooseJoining(ann, domain, { joinRoleIds: [strong.id] })
    const id = await ask(bob, ann)

    assertProblem(await approve(manager, id), 403, 'grant_exceeds_permissions')
    assertProblem(await approve(manager, id, { roleIds: [roles.Owner] }), 403, 'grant_exceeds_permissions')
    assertProblem(await approve(manager, id, { roleIds: [newId()] }), 422, 'role_unknown')
    assertProblem(await approve(manager, id, { roleIds: [] }), 400, 'validation_failed')
    assert.equal((await listed(ann)).length, 1)
    assert.equal((await approve(manager, id, { roleIds: [roles.Member] })).status, 200)
    assert.deepEqual(await rolesIn(bob, ann), ['Member'])

    const carl = await personAt(service, domain)
    assert.equal((await approve(ann, await ask(carl, ann))).status, 200)
    assert.deepEqual(await rolesIn(carl, ann), ['Strong'])
  })

  it('is decided once', async () => {
    const { ann, bob } = await createScene()
    const id = await ask(bob, ann)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, number) => (number % 2 ? approve(ann, id) : decline(ann, id))),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers) if (answer.status !== 200) assertProblem(answer, 404, 'join_request_not_found')
    const told = [...(await emails(bob, 'join_approved')), ...(await emails(bob, 'join_declined'))]
    assert.equal(told.length, 1)
  })

  it('can’t be repeated for 30 days once it is declined, nor become a membership by the policy auto', async () => {
    const { ann, domain, bob } = await createScene()
    const id = await ask(bob, ann)

    assert.equal((await decline(ann, id)).body.data.status, 'declined')

    assert.equal((await emails(bob, 'join_declined')).length, 1)
    assert.deepEqual([await listed(ann), await own(bob), await joinable(bob)], [[], [], []])
    assertProblem(await joinByDomain(bob, ann), 422, 'join_request_declined')
    assertProblem(await cancel(bob, id), 404, 'join_request_not_found')
    await chooseJoining(ann, domain, { joinPolicy: 'auto' })
    assertProblem(await joinByDomain(bob, ann), 422, 'join_request_declined')
    const [record] = await recordsOf(ann, 'join_requests.decline')
    assert.equal(record?.target_id, id)
    // The company may change its mind.
    await ann.api.post(`/companies/${ann.company.id}/members`, { userId: bob.id, roleNames: ['Member'] })
    assert.deepEqual(await rolesIn(bob, ann), ['Member'])
  })

  it('can’t be repeated either by another account with the address once it is declined', async () => {
    const { ann, domain, bob } = await createScene()
    await decline(ann, await ask(bob, ann))
    await changeAddress(service, bob)
    await freeFormerAddresses(service, bob)
    const again = await personWith(service, bob.email)
    assert.deepEqual(await joinable(again), [])
    assertProblem(await joinByDomain(again, ann), 422, 'join_request_declined')
    await chooseJoining(ann, domain, { joinPolicy: 'auto' })
    assertProblem(await joinByDomain(again, ann), 422, 'join_request_declined')
    await service.db.query(`update join_requests set declined_at = now() - interval '31 days' where email = $1`, [
      bob.email,
    ])
    await service.db.query('select delete_declined_requests(1000)')
    assert.equal((await joinByDomain(again, ann)).body.data.status, 'joined')
  })

  it('is canceled by its person alone, who can ask again', async () => {
    const { ann, domain, bob } = await createScene()
    const eve = await personAt(service, domain)
    const id = await ask(bob, ann)
    for (const person of [eve, ann]) assertProblem(await cancel(person, id), 404, 'join_request_not_found')

    assert.deepEqual((await cancel(bob, id)).body.data, { id })

    assertProblem(await cancel(bob, id), 404, 'join_request_not_found')
    assertProblem(await approve(ann, id), 404, 'join_request_not_found')
    const [record] = await recordsOf(ann, 'join_requests.cancel')
    assert.deepEqual([record?.actor_id, record?.target_id, record?.ip, record?.via_id], [bob.id, id, null, null])
    assert.notEqual(await ask(bob, ann), id)
  })

  it('belongs to its company', async () => {
    const { ann, bob } = await createScene()
    const eve = await signUp(service.client)
    const id = await ask(bob, ann)
    for (const act of [approve, decline]) assertProblem(await act(eve, id), 404, 'join_request_not_found')
    assert.deepEqual(await listed(eve), [])
  })

  it('ends when its person becomes a member in another way', async () => {
    const { ann, bob } = await createScene()
    const id = await ask(bob, ann)
    await ann.api.post('/companies/users', { name: 'Bob', email: bob.email })
    assert.deepEqual([await listed(ann), await own(bob)], [[], []])
    assertProblem(await approve(ann, id), 404, 'join_request_not_found')
  })

  it('ends when its person has the verified address no more', async () => {
    const { ann, domain, bob } = await createScene()
    const carl = await personAt(service, domain)
    const [ofBob, ofCarl] = [await ask(bob, ann), await ask(carl, ann)]
    const email = anyEmail()
    await bob.api.put('/auth/profile', { email })
    assert.equal((await listed(ann)).length, 2)
    const token = await service.mailbox.token(email, 'change_email')
    assert.equal((await service.client.post('/auth/verify-email', { token })).status, 200)
    await service.db.query('update accounts set password_shown_at = now(), email_verified_at = null where id = $1', [
      carl.id,
    ])

    for (const id of [ofBob, ofCarl]) assertProblem(await approve(ann, id), 404, 'join_request_not_found')
    assert.deepEqual(await listed(ann), [])
  })

  it('stays when the domain is deleted, and then gives Member', async () => {
    const { ann, domain, bob } = await createScene()
    const role = await createRole(ann, 'Sales')
    await chooseJoining(ann, domain, { joinRoleIds: [role.id] })
    const id = await ask(bob, ann)
    await ann.api.delete(`/companies/domains/${domain.id}`)
    assert.deepEqual(await joinable(bob), [])
    assert.equal((await own(bob)).length, 1)
    assert.equal((await approve(ann, id)).status, 200)
    assert.deepEqual(await rolesIn(bob, ann), ['Member'])
  })

  it('becomes a membership when its person asks again under the policy auto', async () => {
    const { ann, domain, bob } = await createScene()
    await ask(bob, ann)
    await chooseJoining(ann, domain, { joinPolicy: 'auto' })
    assert.equal((await joinByDomain(bob, ann)).body.data.status, 'joined')
    assert.deepEqual(await listed(ann), [])
  })

  it('does not let a person flood the members who decide', async () => {
    const limited = await useLimited()
    const ann = await signUp(limited.client)
    const domain = await verifiedDomain(limited, ann, { joinPolicy: 'request' })
    const bob = await signUp(limited.client, { email: `bob@${domain.name}` })
    await confirmAddress(limited, bob)
    await confirmMailbox(limited, bob)
    for (let time = 0; time < 8; time++) await cancel(bob, await ask(bob, ann))
    assert.equal((await limited.mailbox.to(ann.email, 'join_requested')).length, 5)
  })
})

it('keeps no operator from deleting an account', async () => {
  const [ann, id] = [await signUp(service.client), newId()]
  await service.db.query(`insert into accounts (id, email, name) values ($1, 'gone@example.com', 'Gone')`, [id])
  const tables = ['former_members', 'former_addresses', 'join_requests']
  await service.db.query('insert into former_members (company_id, account_id) values ($1, $2)', [ann.company.id, id])
  await service.db.query(`insert into former_addresses values ($1, 'gone@example.com', $2)`, [ann.company.id, id])
  await service.db.query(
    `insert into join_requests (company_id, id, account_id, email, name) values ($1, gen_random_uuid(), $2, 'x', 'x')`,
    [ann.company.id, id],
  )

  await service.db.query('delete from accounts where id = $1', [id])

  for (const table of tables)
    assert.deepEqual(await service.db.query(`select from ${table} where account_id = $1`, [id]), [])
})

describe('the list of requests', () => {
  it('has pages and an order', async () => {
    const { ann, domain } = await createScene()
    const people = [await personAt(service, domain), await personAt(service, domain), await personAt(service, domain)]
    for (const person of people) await ask(person, ann)
    const page = (await ann.api.get(`${path}?limit=2&sortBy=email&sortDir=desc`)).body
    const sorted = people
      .map(({ email }) => email)
      .sort()
      .reverse()
    assert.equal(page.total, 3)
    assert.deepEqual(
      page.data.map(({ account }: { account: { email: string } }) => account.email),
      sorted.slice(0, 2),
    )
    const oldest = (await ann.api.get(path)).body.data[0]
    assert.equal(oldest.account.id, people[0]?.id)
  })
})

const useLimited = () => useTestAppWithDns({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000' })
