import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp, useTestApp } from '../../../../test/support/app.ts'
import { confirmAddress } from '../../../../test/support/domains.ts'
import { confirmFactor } from '../../../../test/support/factors.ts'
import { invitationToken, invite, registerInvited, sendInvitation } from '../../../../test/support/invitations.ts'
import { addMember, createRole, join, joinWith, link, rolesOf } from '../../../../test/support/members.ts'
import { OPERATOR } from '../../../../test/support/operator.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../../test/support/people.ts'
import { setPolicy } from '../../../../test/support/policies.ts'
import { newId } from '../../../lib/ids.ts'
import { disableAccount, enableAccount } from '../../auth/disable-account.ts'

const service = await useTestApp()
const { query } = service.db
const policy = '/companies/policy'
const LOOPBACK = '127.0.0.0/8'
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

const NONE = {
  secondFactor: { required: 'nobody', roleIds: [], from: null },
  sessions: { maxAgeHours: null, idleMinutes: null, stepUpMinutes: null },
  networks: { allow: [] },
  members: { domains: [], appliesTo: 'invitations' },
  passwords: { minLength: 8, refuseCommon: false },
}

const change = ({ api }: Person, body: object) => api.patch(policy, body)
const dryRun = async ({ api }: Person, body: object) => {
  const answer = await api.patch(`${policy}?dryRun=true`, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.data.impact
}
/** An account with a second factor that its session has proved. */
async function withFactor(person: Person): Promise<Person> {
  await confirmFactor(service.db, person.id)
  await query('update sessions set second_factor_at = now() where account_id = $1', [person.id])
  return person
}
const recordsOf = (person: Person, action: string) =>
  query(
    `select actor_id, changes from audit_records where company_id = $1 and action = $2 and outcome = 'done' order by id`,
    [person.company.id, action],
  )

describe('the policy of a company', () => {
  it('asks for nothing at first, and keeps what is set, field by field', async () => {
    const ann = await withFactor(await signUp(service.client))
    const first = await ann.api.get(policy)
    assert.deepEqual([first.status, first.body.data], [200, NONE])
    const { Owner, Admin } = await rolesOf(ann)
    const role = await createRole(ann, 'Clerk')
    const all = {
      secondFactor: { required: 'roles', roleIds: [role.id, Owner, Admin, Owner], from: inDays(14) },
      sessions: { maxAgeHours: 24, idleMinutes: 60, stepUpMinutes: 30 },
      networks: { allow: ['192.0.2.7', LOOPBACK, '127.0.0.1/32', '2001:DB8::/32'] },
      members: { domains: ['Example.com', 'example.org', 'example.com'], appliesTo: 'invitations_and_additions' },
      passwords: { minLength: 8, refuseCommon: false },
    }
    const set = await change(ann, all)
    const expected = {
      ...all,
      secondFactor: { ...all.secondFactor, roleIds: [role.id, Owner, Admin].sort() },
      networks: { allow: [LOOPBACK, '192.0.2.7/32', '2001:db8::/32'] },
      members: { ...all.members, domains: ['example.com', 'example.org'] },
    }
    assert.deepEqual([set.status, set.body.data], [200, expected])
    assert.deepEqual((await ann.api.get(policy)).body.data, expected)

    const changed = await change(ann, { sessions: { idleMinutes: null }, secondFactor: { required: 'everybody' } })
    const next = {
      ...expected,
      sessions: { ...expected.sessions, idleMinutes: null },
      secondFactor: { required: 'everybody', roleIds: [], from: all.secondFactor.from },
    }
    assert.deepEqual(changed.body.data, next)
    assert.deepEqual((await change(ann, {})).body.data, next)
    await change(ann, NONE)
    assert.deepEqual((await ann.api.get(policy)).body.data, NONE)
    const [company] = await query('select has_policy from companies where id = $1', [ann.company.id])
    assert.equal(company?.has_policy, false)
    const [one, two, three, ...more] = await recordsOf(ann, 'policy.update')
    assert.deepEqual(Object.keys(one?.changes).sort(), [
      ...[
        'allow',
        'appliesTo',
        'domains',
        'from',
        'idleMinutes',
        'maxAgeHours',
        'required',
        'roleIds',
        'stepUpMinutes',
      ],
    ])
    assert.deepEqual(two?.changes.required, { from: 'roles', to: 'everybody' })
    assert.deepEqual(three?.changes.stepUpMinutes, { from: 30, to: null })
    assert.deepEqual(more, [])
  })

  it('refuses what it does not know, what has no effect and what is out of bounds', async () => {
    const ann = await signUp(service.client)
    const bad: [string, object][] = [
      ['', { signIn: { sso: 'required' } }],
      ['', { support: 'never' }],
      ['', { keys: { personalKeys: false } }],
      ['networks', { networks: { allow: [], appliesTo: 'people' } }],
      ['sessions.maxAgeHours', { sessions: { maxAgeHours: 0 } }],
      ['sessions.maxAgeHours', { sessions: { maxAgeHours: 721 } }],
      ['sessions.idleMinutes', { sessions: { idleMinutes: 14 } }],
      ['sessions.idleMinutes', { sessions: { idleMinutes: 10_081 } }],
      ['sessions.stepUpMinutes', { sessions: { stepUpMinutes: 4 } }],
      ['sessions.stepUpMinutes', { sessions: { stepUpMinutes: 1441 } }],
      ['sessions.stepUpMinutes', { sessions: { stepUpMinutes: 1.5 } }],
      ['networks.allow.0', { networks: { allow: ['0.0.0.0/0'] } }],
      ['networks.allow.0', { networks: { allow: ['::/0'] } }],
      ['networks.allow.0', { networks: { allow: ['127.0.0.1/8'] } }],
      ['networks.allow.0', { networks: { allow: ['0177.0.0.1'] } }],
      ['networks.allow', { networks: { allow: Array(201).fill(LOOPBACK) } }],
      ['members.domains.0', { members: { domains: ['localhost'] } }],
      ['members.domains.0', { members: { domains: ['a@example.com'] } }],
      ['members.domains', { members: { domains: Array(51).fill('example.com') } }],
      ['passwords.minLength', { passwords: { minLength: 10 } }],
      ['secondFactor.required', { secondFactor: { required: 'all' } }],
      ['secondFactor.roleIds', { secondFactor: { required: 'roles' } }],
      ['secondFactor.from', { secondFactor: { required: 'everybody', from: 'soon' } }],
      ['secondFactor.from', { secondFactor: { required: 'everybody', from: '0000-01-01T00:00:00Z' } }],
    ]
    for (const [path, body] of bad) {
      const refused = await change(ann, body)
      assertProblem(refused, 400, 'validation_failed')
      assert.equal(refused.body.details[0].path, path, JSON.stringify(refused.body))
    }
    const networks = Array.from({ length: 199 }, (_, index) => `10.0.${index}.0/24`)
    const domains = Array.from({ length: 50 }, (_, index) => `d${index}.example`)
    for (const edge of [
      { sessions: { maxAgeHours: 1, idleMinutes: 15, stepUpMinutes: 5 } },
      { sessions: { maxAgeHours: 720, idleMinutes: 10_080, stepUpMinutes: 1440 } },
      { networks: { allow: [LOOPBACK, ...networks] } },
      { members: { domains } },
      NONE,
    ])
      assert.equal((await change(ann, edge)).status, 200, JSON.stringify(edge))
    assertProblem(await change(ann, { secondFactor: { required: 'roles', roleIds: [newId()] } }), 422, 'role_unknown')
    const far = { required: 'everybody', from: inDays(91) }
    assertProblem(await change(ann, { secondFactor: far }), 422, 'grace_too_long')
    assert.equal((await change(ann, { secondFactor: { ...far, from: inDays(89) } })).status, 200)
  })

  it('is read with policy:read, changed with policy:update, and shown with its ETag', async () => {
    const ann = await signUp(service.client)
    const reader = await joinWith(ann, await signUp(service.client), ['policy:read'])
    const stranger = await joinWith(ann, await signUp(service.client), ['users:read'])
    assert.equal((await reader.api.get(policy)).status, 200)
    assertProblem(await change(reader, {}), 403, 'permission_missing')
    assertProblem(await stranger.api.get(policy), 403, 'permission_missing')
    assertProblem(await stranger.api.get(`${policy}/compliance`), 403, 'permission_missing')
    const unnamed = await reader.api.get(`${policy}/compliance`)
    assertProblem(unnamed, 403, 'permission_missing')
    assert.equal(unnamed.body.required, 'users:read')

    const etag = (await ann.api.get(policy)).headers.get('etag') as string
    assert.equal((await ann.api.get(policy, { headers: { 'if-none-match': etag } })).status, 304)
    const hours = (maxAgeHours: number) =>
      ann.api.patch(policy, { sessions: { maxAgeHours } }, { headers: { 'if-match': etag } })
    const answers = await Promise.all([1, 2, 3, 4, 5].map(hours))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412, 412])
  })

  it('asks an account with a second factor for a fresh one', async () => {
    const ann = await withFactor(await signUp(service.client))
    await query(`update sessions set second_factor_at = now() - interval '10 minutes' where account_id = $1`, [ann.id])
    const refused = await change(ann, { sessions: { maxAgeHours: 1 } })
    assertProblem(refused, 403, 'reauthentication_required')
    assert.deepEqual(refused.body.methods, ['totp'])
    await withFactor(ann).catch(() => {})
    await query('update sessions set second_factor_at = now() where account_id = $1', [ann.id])
    assert.equal((await change(ann, { sessions: { maxAgeHours: 1 } })).status, 200)
  })

  it('asks every member for a fresh proof at changes, and at no reads, when it sets stepUpMinutes', async () => {
    const ann = await signUp(service.client)
    const bob = await withFactor(await join(ann, await signUp(service.client), ['Admin']))
    await change(ann, { sessions: { stepUpMinutes: 5 } })
    const write = ({ api }: Person) => api.patch(`/companies/${ann.company.id}`, { taxId: newId() })
    for (const person of [ann, bob]) assert.equal((await write(person)).status, 200)
    await query(
      `update sessions set authenticated_at = now() - interval '5 minutes', second_factor_at = second_factor_at - interval '5 minutes'
       where account_id = any ($1)`,
      [[ann.id, bob.id]],
    )
    const methods = [['password'], ['totp']]
    for (const [index, person] of [ann, bob].entries()) {
      const refused = await write(person)
      assertProblem(refused, 403, 'reauthentication_required')
      assert.deepEqual(refused.body.methods, methods[index])
      assert.equal((await person.api.get('/companies/users')).status, 200)
      assertProblem(await change(person, {}), 403, 'reauthentication_required')
    }
    assert.equal((await bob.api.post(`/companies/${ann.company.id}/leave`)).status, 200)
  })

  it('asks an owner for a fresh proof who restores the company, when it sets stepUpMinutes', async () => {
    const ann = await signUp(service.client)
    await change(ann, { sessions: { stepUpMinutes: 5 } })
    assert.equal((await ann.api.delete(`/companies/${ann.company.id}`)).status, 200)
    const restore = () => ann.api.post(`/companies/${ann.company.id}/restore`)
    const age = `update sessions set authenticated_at = now() - interval '5 minutes' where account_id = $1`
    await query(age, [ann.id])
    const refused = await restore()
    assertProblem(refused, 403, 'reauthentication_required')
    assert.deepEqual(refused.body.methods, ['password'])
    assert.equal((await ann.api.post('/auth/step-up', { currentPassword: PASSWORD })).status, 200)
    assert.equal((await restore()).status, 200)
  })

  it('asks accounts without a second factor for no newer proof than its stepUpMinutes', async () => {
    const ann = await signUp(service.client)
    await change(ann, { sessions: { stepUpMinutes: 60 } })
    const proved = (age: string) =>
      query(`update sessions set authenticated_at = now() - interval '${age}' where account_id = $1`, [ann.id])
    const close = () => ann.api.delete(`/companies/${ann.company.id}`)
    await proved('61 minutes')
    assertProblem(await close(), 403, 'reauthentication_required')
    await proved('30 minutes')
    assert.equal((await close()).status, 200)
    assert.equal((await ann.api.post(`/companies/${ann.company.id}/restore`)).status, 200)
    const bob = await withFactor(ann)
    await query(`update sessions set second_factor_at = now() - interval '30 minutes' where account_id = $1`, [bob.id])
    assertProblem(await close(), 403, 'reauthentication_required')
  })

  it('keeps a role that it names from being deleted', async () => {
    const ann = await withFactor(await signUp(service.client))
    const [role, other] = [await createRole(ann, 'Clerk'), await createRole(ann, 'Other')]
    await change(ann, { secondFactor: { required: 'roles', roleIds: [role.id] } })
    for (const path of [role.path, `${role.path}?reassignTo=${other.id}`])
      assertProblem(await ann.api.delete(path), 409, 'role_in_use')
    await change(ann, { secondFactor: { roleIds: [other.id] } })
    assert.equal((await ann.api.delete(role.path)).status, 200)
  })

  it('follows members whose role was replaced by one that it names', async () => {
    const ann = await withFactor(await signUp(service.client))
    const [old, named] = [await createRole(ann, 'Old'), await createRole(ann, 'Named')]
    const bob = await join(ann, await signUp(service.client), ['Old'])
    await change(ann, { secondFactor: { required: 'roles', roleIds: [named.id] } })
    assert.equal((await bob.api.get(`/companies/${ann.company.id}`)).status, 200)
    assert.equal((await ann.api.delete(`${old.path}?reassignTo=${named.id}`)).status, 200)
    assertProblem(await bob.api.get(`/companies/${ann.company.id}`), 403, 'second_factor_required_by_company')
  })
})

describe('domains of members', () => {
  const add = (person: Person, email: string) => person.api.post('/companies/users', { name: 'New', email })
  const assign = (person: Person, userId: string) =>
    person.api.post(`/companies/${person.company.id}/members`, { userId })

  it('are asked of people who are added or assigned, once additions count, and never of those who are there', async () => {
    const ann = await signUp(service.client)
    const [bob, eve] = [await signUp(service.client), await signUp(service.client)]
    await join(ann, bob)
    await change(ann, { members: { domains: ['corp.example'] } })
    assert.equal((await add(ann, anyEmail())).status, 201)
    await change(ann, { members: { appliesTo: 'invitations_and_additions' } })
    for (const email of [anyEmail(), eve.email, `x@sub.corp.example`, 'x@corp.example.com', 'corp.example@example.com'])
      assertProblem(await add(ann, email), 403, 'domain_not_allowed')
    assertProblem(await assign(ann, eve.id), 403, 'domain_not_allowed')
    assert.equal((await add(ann, `x-${newId()}@CORP.example`)).status, 201)
    assert.equal((await bob.api.get(`/companies/${ann.company.id}`, { company: ann.company.id })).status, 200)
    const { data } = (await ann.api.get(`${policy}/compliance?lacks=domain&sortBy=email`)).body
    assert.deepEqual(data.map(({ id }: { id: string }) => id).sort(), [ann.id, bob.id].sort())
    assert.deepEqual(data[0].lacks, ['domain'])
    const refusals = await query(
      `select count(*)::int as count from audit_records where company_id = $1 and outcome = 'domain_not_allowed'`,
      [ann.company.id],
    )
    assert.deepEqual(refusals, [{ count: 6 }])
  })

  it('let in an address that was never verified only once it is, where additions count', async () => {
    const ann = await signUp(service.client)
    const email = () => `${newId()}@corp.example`
    const [eve, dan, carl] = [
      await signUp(service.client, { email: email() }),
      await signUp(service.client, { email: email() }),
      await signUp(service.client, { email: email() }),
    ]
    await confirmAddress(service, carl)
    await change(ann, { members: { domains: ['corp.example'] } })
    await link(ann, dan)
    await change(ann, { members: { appliesTo: 'invitations_and_additions' } })
    await Promise.all([link(ann, eve), link(ann, carl)])
    const enters = ({ api }: Person) => api.get('/companies/users', { company: ann.company.id })
    const statuses = () => Promise.all([eve, dan, carl].map(async (person) => (await enters(person)).status))
    assert.deepEqual(await statuses(), [403, 200, 200])
    const lacking = async () => {
      const { data } = (await ann.api.get(`${policy}/compliance?lacks=domain`)).body
      return data.map((person: Person) => person.email).sort()
    }
    assert.deepEqual(await lacking(), [ann.email, dan.email].sort())
    await confirmAddress(service, dan)
    // Another person may be signed in, so the link asks for a new password.
    await service.client.post('/auth/verify-email/resend', { email: eve.email })
    const token = await service.mailbox.token(eve.email, 'reset_password')
    const newPassword = 'Another-password-9'
    assert.equal((await service.client.post('/auth/reset-password', { token, newPassword })).status, 200)
    assert.equal((await enters(eve)).status, 401)
    Object.assign(eve, await signIn(service.client, eve.email, newPassword))
    assert.deepEqual(await statuses(), [200, 200, 200])
    assert.deepEqual(await lacking(), [ann.email])
  })

  it('vouch for no address whose mailbox may be at another domain', async () => {
    const ann = await signUp(service.client)
    const address = (local: string) => `${local}-${newId()}@corp.example`
    const [routed, encoded] = [address('eve%evil.example'), address('=?utf-8?q?eve?=')]
    assert.equal((await add(ann, routed)).status, 201)
    await change(ann, { members: { domains: ['corp.example'], appliesTo: 'invitations_and_additions' } })
    for (const email of [address('evil.example!eve'), encoded]) {
      assertProblem(await add(ann, email), 403, 'domain_not_allowed')
      assertProblem(await sendInvitation(ann, { email }), 403, 'domain_not_allowed')
    }
    await query('update memberships set opened_at = now() where company_id = $1', [ann.company.id])
    const { data } = (await ann.api.get(`${policy}/compliance?lacks=domain`)).body
    assert.deepEqual(data.map(({ email }: Person) => email).sort(), [ann.email, routed].sort())
  })

  it('are asked of people who are invited, of those invited again, and once more when they accept', async () => {
    const ann = await signUp(service.client)
    const invited = await invite(ann)
    const again = await invite(ann)
    await change(ann, { members: { domains: ['corp.example'] } })
    assertProblem(await sendInvitation(ann), 403, 'domain_not_allowed')
    assertProblem(await ann.api.post(`${again.path}/resend`), 403, 'domain_not_allowed')
    assertProblem(
      await registerInvited(service, await invitationToken(service, invited)),
      422,
      'invitation_no_longer_valid',
    )
    assert.equal((await sendInvitation(ann, { email: `x-${newId()}@corp.example` })).status, 201)
  })
})

describe('the list of members who don’t comply', () => {
  it('names what each lacks and when they were last active, by page and in every order', async () => {
    const ann = await withFactor(await signUp(service.client, { name: 'Owner' }))
    const people: Person[] = []
    for (const name of ['Cäsar', 'Adam', 'Bert']) people.push(await join(ann, await signUp(service.client, { name })))
    const [cesar, adam, bert] = people as [Person, Person, Person]
    for (const [{ id }, columns] of [
      [cesar, `last_used_at = now() - interval '3 hours'`],
      [adam, `last_used_at = now() - interval '1 hour', password_class = 8`],
    ] as const)
      await query(`update sessions set ${columns} where account_id = $1`, [id])
    await bert.api.post('/auth/logout', { refreshToken: bert.refreshToken })
    const tried = await change(ann, {
      secondFactor: { required: 'everybody' },
      passwords: { minLength: 15 },
      members: { domains: ['corp.example'] },
    })
    assert.equal(tried.status, 200, JSON.stringify(tried.body))

    const list = async (asked = '') => (await ann.api.get(`${policy}/compliance${asked}`)).body
    const namesOf = async (asked: string) => (await list(asked)).data.map(({ name }: Person) => name)
    const { data, total } = await list('?sortBy=name')
    const closedBy = 'second_factor_required_by_company'
    const shown = data.map((each: Record<string, unknown>) => [each.name, each.lacks, each.closedBy])
    assert.deepEqual(shown, [
      ['Adam', ['second_factor', 'password', 'domain'], closedBy],
      // Signed in nowhere, so no session tells what the password is worth.
      ['Bert', ['second_factor', 'domain'], null],
      ['Cäsar', ['second_factor', 'domain'], closedBy],
      ['Owner', ['domain'], null],
    ])
    const hours = data.map(({ last_active_at: at }: { last_active_at: string | null }) =>
      at === null ? null : Math.round((Date.now() - Date.parse(at)) / 3_600_000),
    )
    assert.deepEqual([total, hours], [4, [1, null, 3, 0]])

    assert.deepEqual(await namesOf('?sortBy=name&sortDir=desc&limit=2&page=2'), ['Bert', 'Adam'])
    assert.deepEqual(await namesOf('?sortBy=last_active_at'), ['Cäsar', 'Adam', 'Owner', 'Bert'])
    assert.deepEqual(await namesOf('?sortBy=last_active_at&sortDir=desc'), ['Owner', 'Adam', 'Cäsar', 'Bert'])
    const byEmail = [ann, ...people].sort((a, b) => (a.email < b.email ? -1 : 1)).map(({ name }) => name)
    assert.deepEqual(await namesOf('?sortBy=email'), byEmail)
    for (const [lacks, names] of Object.entries({
      second_factor: ['Adam', 'Bert', 'Cäsar'],
      password: ['Adam'],
      domain: ['Adam', 'Bert', 'Cäsar', 'Owner'],
    }))
      assert.deepEqual(await namesOf(`?sortBy=name&lacks=${lacks}`), names, lacks)
    for (const wrong of ['lacks=sso', 'sortBy=id', 'limit=101'])
      assertProblem(await ann.api.get(`${policy}/compliance?${wrong}`), 400, 'validation_failed')
  })
})

describe('a dry run', () => {
  it('tells whom a policy would keep out, and changes nothing', async () => {
    const ann = await withFactor(await signUp(service.client))
    const bob = await join(ann, await signUp(service.client))
    const carl = await withFactor(await join(ann, await signUp(service.client)))
    // Signed in nowhere, and not there yet.
    const dora = await join(ann, await signUp(service.client))
    await dora.api.post('/auth/logout', { refreshToken: dora.refreshToken })
    await addMember(ann)
    const [before] = await query('select * from companies where id = $1', [ann.company.id])

    const impact = await dryRun(ann, { secondFactor: { required: 'everybody' } })
    const named = ({ id, name, email }: Person) => ({ id, name, email })
    const [shut] = impact.shutNow.sample
    assert.deepEqual(impact.shutNow, {
      total: 1,
      sample: [
        {
          ...named(bob),
          closedBy: 'second_factor_required_by_company',
          last_ip: '127.0.0.1',
          last_active_at: shut.last_active_at,
        },
      ],
    })
    const lacking = [bob, dora].sort((a, b) => (a.id < b.id ? -1 : 1))
    assert.deepEqual(impact.cannotOpen, {
      total: 2,
      sample: lacking.map((person) => ({ ...named(person), lacks: ['second_factor'] })),
    })
    assert.deepEqual([impact.caller, impact.owners], ['open', { total: 1, shutNow: 0, cannotOpen: 0 }])

    // With a date ahead no session is shut out yet, but the same people will be.
    const later = await dryRun(ann, { secondFactor: { required: 'everybody', from: inDays(10) } })
    assert.deepEqual([later.shutNow.total, later.cannotOpen.total], [0, 2])
    const networks = await dryRun(ann, { networks: { allow: ['192.0.2.0/24'] } })
    assert.deepEqual(
      [networks.caller, networks.shutNow.total, networks.cannotOpen.total],
      ['network_not_allowed', 3, 0],
    )
    assert.deepEqual(networks.owners, { total: 1, shutNow: 1, cannotOpen: 0 })

    const [after] = await query('select * from companies where id = $1', [ann.company.id])
    assert.deepEqual(after, before)
    assert.deepEqual(await recordsOf(ann, 'policy.update'), [])
    assert.equal((await carl.api.get(`/companies/${ann.company.id}`)).status, 200)
  })

  it('waits for no lock of the company, because it changes nothing', async () => {
    const ann = await signUp(service.client)
    const role = await createRole(ann, 'Clerk')
    await query('begin')
    await query('select from companies where id = $1 for update', [ann.company.id])
    for (const [method, resource] of [
      ['PATCH', 'policy'],
      ['PATCH', `roles/${role.id}`],
      ['DELETE', `roles/${role.id}`],
    ] as const)
      assert.equal((await ann.api.send(method, `/companies/${resource}?dryRun=true`, {})).status, 200)
    await query('rollback')
  })

  it('gives only numbers to those who may not see members', async () => {
    const ann = await signUp(service.client)
    const editor = await joinWith(ann, await signUp(service.client), ['policy:update'])
    const impact = await dryRun(editor, { networks: { allow: ['192.0.2.0/24'] } })
    assert.deepEqual(impact.shutNow, { total: 2 })
    assert.deepEqual(impact.cannotOpen, { total: 0 })
  })
})

describe('no policy', () => {
  it('keeps out the one who sets it', async () => {
    const ann = await signUp(service.client)
    const cases: [object, string][] = [
      [{ networks: { allow: ['192.0.2.0/24'] } }, 'network_not_allowed'],
      [{ secondFactor: { required: 'everybody' } }, 'second_factor_required_by_company'],
    ]
    for (const [body, closedBy] of cases) {
      const refused = await change(ann, body)
      assertProblem(refused, 422, 'policy_locks_you_out')
      assert.equal(refused.body.closedBy, closedBy)
    }
    assert.deepEqual((await ann.api.get(policy)).body.data, NONE)
    assert.equal((await change(ann, { networks: { allow: [LOOPBACK] } })).status, 200)
    assertProblem(await change(ann, { networks: { allow: ['192.0.2.0/24'] } }), 422, 'policy_locks_you_out')
  })

  it('set by another member keeps out an owner', async () => {
    const ann = await signUp(service.client)
    const admin = await withFactor(await join(ann, await signUp(service.client), ['Admin']))
    await query(`update sessions set ip = '203.0.113.5' where account_id = $1`, [ann.id])
    const factor = { secondFactor: { required: 'everybody' } }
    for (const body of [factor, { networks: { allow: [LOOPBACK] } }])
      assertProblem(await change(admin, body), 403, 'target_exceeds_permissions')
    await query('update sessions set password_class = 15 where account_id = $1', [admin.id])
    await query('update sessions set password_class = -12 where account_id = $1', [ann.id])
    for (const passwords of [{ minLength: 15 }, { refuseCommon: true }])
      assertProblem(await change(admin, { passwords }), 403, 'target_exceeds_permissions')
    // A proof is all that an owner needs here.
    assert.equal((await change(admin, { sessions: { maxAgeHours: 1 } })).status, 200)
    await withFactor(ann)
    assert.equal((await change(admin, factor)).status, 200)
  })

  it('set by another member keeps out an owner whose account is disabled, because it may be enabled again', async () => {
    const ann = await withFactor(await signUp(service.client))
    const owner = await join(ann, await signUp(service.client), ['Owner'])
    const admin = await withFactor(await join(ann, await signUp(service.client), ['Admin']))
    await disableAccount(service.database, OPERATOR, owner.id, { notifies: false })
    const factor = { secondFactor: { required: 'everybody' } }
    assertProblem(await change(admin, factor), 403, 'target_exceeds_permissions')
    assertProblem(await change(admin, { passwords: { minLength: 12 } }), 403, 'target_exceeds_permissions')
    assert.equal((await dryRun(admin, factor)).owners.total, 1)
    assert.equal((await change(ann, factor)).status, 200)
    await enableAccount(service.database, OPERATOR, owner.id, { notifies: false })
    const back = await signIn(service.client, owner.email)
    assertProblem(await back.api.get(policy, { company: ann.company.id }), 403, 'second_factor_required_by_company')
  })

  it('set by another member keeps out for more an owner who is kept out later, or for now', async () => {
    const ann = await signUp(service.client)
    const admin = await withFactor(await join(ann, await signUp(service.client), ['Admin']))
    await query(`update sessions set ip = '203.0.113.5', password_class = 8 where account_id = $1`, [ann.id])
    await query('update sessions set password_class = 15 where account_id = $1', [admin.id])
    const factorFrom = (from: string | null) => ({ secondFactor: { required: 'everybody', from } })
    const refuses = async (...bodies: object[]) => {
      for (const body of bodies) assertProblem(await change(admin, body), 403, 'target_exceeds_permissions')
    }
    assert.equal((await change(ann, factorFrom(inDays(60)))).status, 200)
    await refuses(factorFrom(inDays(59)), factorFrom(null), { passwords: { minLength: 15 } })
    await refuses({ networks: { allow: [LOOPBACK] } })
    assert.equal((await change(admin, factorFrom(inDays(61)))).status, 200)

    const office = '192.0.2.0/24'
    assert.equal((await change(ann, { networks: { allow: [LOOPBACK, office] } })).status, 200)
    await refuses({ networks: { allow: [LOOPBACK] } })
    assert.equal((await change(admin, { networks: { allow: [LOOPBACK, office, '198.51.100.0/24'] } })).status, 200)

    await query('update sessions set password_class = 12 where account_id = $1', [ann.id])
    assert.equal((await change(ann, { passwords: { minLength: 12 }, networks: { allow: [] } })).status, 200)
    await query('update sessions set password_class = 8 where account_id = $1', [ann.id])
    await refuses({ passwords: { minLength: 15 } })
  })

  it('set by another member keeps out an owner who is signed in nowhere, and may come from anywhere with any password', async () => {
    const ann = await signUp(service.client)
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    await ann.api.post('/auth/logout', { refreshToken: ann.refreshToken })
    const allow = (...networks: string[]) => change(admin, { networks: { allow: networks } })
    assertProblem(await allow(LOOPBACK), 403, 'target_exceeds_permissions')
    const owner = await signIn(service.client, ann.email)
    assert.equal((await change(owner, { networks: { allow: [LOOPBACK, '192.0.2.0/24'] } })).status, 200)
    await owner.api.post('/auth/logout', { refreshToken: owner.refreshToken })
    assertProblem(await allow(LOOPBACK), 403, 'target_exceeds_permissions')
    for (const passwords of [{ minLength: 12 }, { refuseCommon: true }])
      assertProblem(await change(admin, { passwords }), 403, 'target_exceeds_permissions')
    assertProblem(await allow(LOOPBACK, '192.0.2.0/25', '198.51.100.0/24'), 403, 'target_exceeds_permissions')
    for (const wider of [[LOOPBACK, '192.0.0.0/16'], [LOOPBACK, '192.0.0.0/16', '198.51.100.0/24'], []])
      assert.equal((await allow(...wider)).status, 200)
    assert.equal((await change(admin, { sessions: { maxAgeHours: 24 } })).status, 200)
  })

  it('set by another member keeps out an owner from any place where the owner is signed in', async () => {
    const ann = await signUp(service.client)
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    const [office, home] = ['203.0.113.5', '192.0.2.7']
    await query('update sessions set ip = $2 where account_id = $1', [ann.id, office])
    const atHome = await signIn(service.client, ann.email)
    await query('update sessions set last_ip = $2 where account_id = $1 and ip <> $3', [ann.id, home, office])
    const allow = (...networks: string[]) => change(admin, { networks: { allow: [LOOPBACK, ...networks] } })
    for (const place of [office, home]) assertProblem(await allow(place), 403, 'target_exceeds_permissions')
    assert.equal((await allow(office, home)).status, 200)
    assertProblem(await allow(office), 403, 'target_exceeds_permissions')

    await atHome.api.post('/auth/logout', { refreshToken: atHome.refreshToken })
    assert.equal((await allow(office)).status, 200)
    await query('update accounts set disabled_at = now() where id = $1', [ann.id])
    await query(
      `update sessions set revoked_at = now(), revoked_reason = 'account_disabled' where account_id = $1 and revoked_at is null`,
      [ann.id],
    )
    assertProblem(await allow(), 403, 'target_exceeds_permissions')
  })

  it('is left without an owner whom it lets in', async () => {
    const ann = await withFactor(await signUp(service.client))
    const bob = await join(ann, await signUp(service.client), ['Owner'])
    const admin = await withFactor(await join(ann, await signUp(service.client), ['Admin']))
    const roles = await rolesOf(ann)
    await change(ann, { secondFactor: { required: 'roles', roleIds: [roles.Owner] } })
    const leave = (person: Person) => person.api.post(`/companies/${ann.company.id}/leave`)
    const update = (person: Person, body: object) => ann.api.patch(`/companies/users/${person.id}`, body)
    for (const refused of [
      await leave(ann),
      await update(ann, { status: 'inactive' }),
      await update(ann, { roleIds: [roles.Admin] }),
      await ann.api.delete(`/companies/users/${ann.id}`),
    ])
      assertProblem(refused, 422, 'policy_locks_all_owners')
    // An owner who can’t enter anyway is not asked for this.
    assert.equal((await leave(bob)).status, 200)
    assertProblem(await leave(ann), 422, 'last_owner')

    const carl = await join(ann, await signUp(service.client))
    await ann.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: carl.id })
    const accept = () =>
      carl.api.post(`/companies/${ann.company.id}/ownership-transfer/accept`, { currentPassword: 'Correct-horse-7' })
    assertProblem(await accept(), 422, 'policy_locks_all_owners')
    await withFactor(carl)
    assert.equal((await accept()).status, 200)
    assert.equal((await admin.api.get(policy)).status, 200)
  })

  it('gives its last owner a role for which the owner would need a second factor', async () => {
    const ann = await signUp(service.client)
    const admin = await withFactor(await join(ann, await signUp(service.client), ['Admin']))
    const role = await createRole(ann, 'Treasurer')
    const { Owner } = await rolesOf(ann)
    assert.equal((await change(admin, { secondFactor: { required: 'roles', roleIds: [role.id] } })).status, 200)
    const self = (roleIds: (string | undefined)[]) => ann.api.patch(`/companies/users/${ann.id}`, { roleIds })
    assertProblem(await self([Owner, role.id]), 422, 'policy_locks_all_owners')
    await withFactor(ann)
    assert.equal((await self([Owner, role.id])).status, 200)
  })

  it('gives its last owner such a role in the place of a deleted one, in a dry run as well', async () => {
    const ann = await signUp(service.client)
    const admin = await withFactor(await join(ann, await signUp(service.client), ['Admin']))
    const [former, named] = [await createRole(ann, 'Clerk'), await createRole(ann, 'Treasurer')]
    const { Owner } = await rolesOf(ann)
    assert.equal((await ann.api.patch(`/companies/users/${ann.id}`, { roleIds: [Owner, former.id] })).status, 200)
    assert.equal((await change(admin, { secondFactor: { required: 'roles', roleIds: [named.id] } })).status, 200)
    const path = `${former.path}?reassignTo=${named.id}`
    for (const query of ['&dryRun=true', ''])
      assertProblem(await ann.api.delete(path + query), 422, 'policy_locks_all_owners')
    assert.equal((await ann.api.get(former.path)).status, 200)
    const bob = await withFactor(await join(ann, await signUp(service.client), ['Owner']))
    assert.equal((await bob.api.delete(path)).status, 200)
    assertProblem(await ann.api.get(policy), 403, 'second_factor_required_by_company')
  })

  it('keeps out both owners when they narrow it to themselves at once', async () => {
    for (let round = 0; round < 5; round++) {
      const ann = await signUp(service.client)
      const bob = await join(ann, await signUp(service.client), ['Owner'])
      await query(`update sessions set ip = '::1' where account_id = $1`, [bob.id])
      const far = (await signIn(service.client, bob.email)).api.with({ company: ann.company.id })
      const answers = await Promise.all([
        change(ann, { networks: { allow: [LOOPBACK] } }),
        far.patch(policy, { networks: { allow: ['127.0.0.1'] }, secondFactor: { required: 'everybody' } }),
        change(bob, { passwords: { minLength: 15 } }),
      ])
      const open = await Promise.all([ann, bob].map(({ api }) => api.get(`/companies/${ann.company.id}`)))
      assert.ok(
        open.some(({ status }) => status === 200),
        JSON.stringify(answers.map(({ body }) => body.code)),
      )
    }
  })
})

describe('an owner is told by email', () => {
  const told = async ({ email }: Person) => (await service.mailbox.to(email, 'policy_loosened')).length

  it('of each change that admits more, and of no other', async () => {
    const ann = await withFactor(await signUp(service.client, { companyName: 'Acme Mills' }))
    const bob = await join(ann, await signUp(service.client), ['Owner'])
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    const { Owner, Admin } = await rolesOf(ann)
    const steps: [object, boolean][] = [
      [{ secondFactor: { required: 'everybody', from: inDays(5) } }, false],
      [{ secondFactor: { from: inDays(4) } }, false],
      [{ secondFactor: { from: inDays(6) } }, true],
      [{ secondFactor: { required: 'roles', roleIds: [Owner, Admin] } }, true],
      [{ secondFactor: { roleIds: [Owner] } }, true],
      [{ secondFactor: { roleIds: [Owner, Admin] } }, false],
      [{ secondFactor: { required: 'nobody' } }, true],
      [{ sessions: { maxAgeHours: 5 } }, false],
      [{ sessions: { maxAgeHours: 6 } }, true],
      [{ sessions: { maxAgeHours: null } }, true],
      [{ sessions: { idleMinutes: 15, stepUpMinutes: 60 } }, false],
      [{ sessions: { stepUpMinutes: 61 } }, true],
      [{ sessions: { idleMinutes: 16 } }, true],
      [{ secondFactor: { required: 'everybody', from: inDays(5) } }, false],
      [{ secondFactor: { from: null } }, false],
      [{ secondFactor: { from: inDays(1) } }, true],
      [{ secondFactor: { required: 'nobody' } }, true],
      [{ passwords: { minLength: 12, refuseCommon: true } }, false],
      [{ passwords: { refuseCommon: false } }, true],
      [{ passwords: { minLength: 15 } }, false],
      [{ passwords: { minLength: 12 } }, true],
      [{ networks: { allow: [LOOPBACK, '10.0.0.0/8'] } }, false],
      [{ networks: { allow: [LOOPBACK, '10.1.0.0/16'] } }, false],
      [{ networks: { allow: [LOOPBACK, '10.1.0.0/16', '192.0.2.1'] } }, true],
      [{ networks: { allow: [] } }, true],
      [{ members: { domains: ['example.com'], appliesTo: 'invitations_and_additions' } }, false],
      [{ members: { appliesTo: 'invitations' } }, true],
      [{ members: { domains: ['example.org'] } }, true],
      [{ members: { domains: [] } }, true],
    ]
    let expected = 0
    for (const [body, isLooser] of steps) {
      // Ten of these to one mailbox within the hour are all that is allowed.
      await query(`update emails set created_at = created_at - interval '2 hours' where kind = 'policy_loosened'`)
      assert.equal((await change(ann, body)).status, 200, JSON.stringify(body))
      if (isLooser) expected++
      assert.deepEqual([await told(ann), await told(bob)], [expected, expected], JSON.stringify(body))
    }
    assert.equal(await told(admin), 0)
    const stricter = async ({ email }: Person) => (await service.mailbox.to(email, 'policy_tightened')).length
    // One domain instead of another is told as both.
    const tightened = steps.filter(([, isLooser]) => !isLooser).length
    assert.deepEqual(
      [await stricter(ann), await stricter(bob), await stricter(admin)],
      [tightened + 1, tightened + 1, 0],
    )
    const [email] = await service.mailbox.to(bob.email, 'policy_loosened')
    assert.match(email?.text ?? '', /Acme Mills/)
  })

  it('or the change of an administrator is refused, so that none goes unseen, and an owner’s is not', async () => {
    const limited = await startTestApp({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000' }, service.db)
    try {
      const ann = await signUp(limited.client)
      const admin = await join(ann, await signUp(limited.client), ['Admin'])
      const toggle = async () => {
        assert.equal((await change(admin, { sessions: { maxAgeHours: 5 } })).status, 200)
        return change(admin, { sessions: { maxAgeHours: null } })
      }
      for (let i = 0; i < 10; i++) assert.equal((await toggle()).status, 200)
      assertProblem(await toggle(), 429, 'email_limit_reached')
      assert.equal((await ann.api.get(policy)).body.data.sessions.maxAgeHours, 5)
      assert.equal((await change(admin, { sessions: { maxAgeHours: 4 } })).status, 200)
      assert.equal((await change(ann, { sessions: { maxAgeHours: null } })).status, 200)
    } finally {
      await limited.close()
    }
  })
})

it('lets the only member leave the company from outside by deleting it, by a fresh proof', async () => {
  const ann = await signUp(service.client)
  const bob = await join(ann, await signUp(service.client))
  const carl = await link(ann, await signUp(service.client), ['Owner'])
  await setPolicy(service.db, ann.company.id, `policy_networks = '{192.0.2.0/24}', policy_step_up = '5 minutes'`)
  const leave = ({ api }: Person) => api.post(`/companies/${ann.company.id}/leave`)
  assertProblem(await leave(ann), 422, 'last_owner')
  assert.equal((await leave(bob)).body.data.deleted, false)
  // Who has not opened the company yet may go on with it.
  assertProblem(await leave(ann), 422, 'last_owner')
  assert.equal((await leave(carl)).status, 200)
  assertProblem(await ann.api.delete(`/companies/${ann.company.id}`), 403, 'network_not_allowed')
  const proofs = (age: string) =>
    query(`update sessions set authenticated_at = now() - interval '${age}' where account_id = $1`, [ann.id])
  await proofs('6 minutes')
  assertProblem(await leave(ann), 403, 'reauthentication_required')
  await proofs('1 minute')
  const left = await leave(ann)
  assert.deepEqual(left.body.data, { id: ann.company.id, deleted: true })
  assert.match(left.body.message, /^Company deleted/)
  const deleted = await ann.api.get('/companies?status=deleted')
  assert.deepEqual(
    deleted.body.data.map(({ id }: { id: string }) => id),
    [ann.company.id],
  )

  const eve = await signUp(service.client)
  assertProblem(await eve.api.post(`/companies/${eve.company.id}/leave`), 422, 'last_owner')
})

it('is shut to a member whose account lost its factor, whatever the session proved', async () => {
  const ann = await withFactor(await signUp(service.client))
  await setPolicy(service.db, ann.company.id, 'policy_factor_from = now()')
  assert.equal((await ann.api.get(policy)).status, 200)
  await query('delete from second_factors where account_id = $1', [ann.id])
  assertProblem(await ann.api.get(policy), 403, 'second_factor_required_by_company')
})

describe('the password of a session', () => {
  const passwords: [string, number][] = [
    ['Xq7-vent', 8],
    ['Xq7-ventilam', 12],
    ['Xq7-ventilamento', 15],
    ['Password-2024', -12],
    ['Dragon-123', -8],
  ]
  const classOf = async ({ sessionId }: Person) =>
    (await query('select password_class from sessions where id = $1', [sessionId]))[0]?.password_class

  it('is noted by its length and whether it is common, at sign-up, sign-in and when it changes', async () => {
    for (const [password, expected] of passwords) {
      const ann = await signUp(service.client, { password })
      assert.equal(await classOf(ann), expected, password)
      assert.equal(await classOf(await signIn(service.client, ann.email, password)), expected, password)
    }
    const ann = await signUp(service.client, { email: 'wilhelmina.schoonhoven@example.com', password: 'Schoonhoven-1' })
    assert.equal(await classOf(ann), -12)
  })

  it('is renewed in the session that changes it, and opens the company there', async () => {
    const ann = await signUp(service.client, { password: 'Xq7-ventilamento' })
    const bob = await join(ann, await signUp(service.client, { password: 'Dragon-123' }))
    await change(ann, { passwords: { minLength: 12, refuseCommon: true } })
    assert.deepEqual((await ann.api.get(policy)).body.data.passwords, { minLength: 12, refuseCommon: true })
    const read = () => bob.api.get(`/companies/${ann.company.id}`)
    assertProblem(await read(), 403, 'password_too_weak_for_company')
    const { data } = (await ann.api.get(`${policy}/compliance`)).body
    assert.deepEqual(data[0].lacks, ['password'])
    for (const [from, to, status] of [
      ['Dragon-123', 'Zv8-bath', 403],
      ['Zv8-bath', 'Password-2024', 403],
      ['Password-2024', 'Zv8-bathtubs', 200],
    ] as const) {
      await bob.api.post('/auth/change-password', { currentPassword: from, newPassword: to })
      assert.equal((await read()).status, status, to)
    }
    assertProblem(await change(ann, { passwords: { minLength: 10 } }), 400, 'validation_failed')
    await change(ann, { passwords: { minLength: 8, refuseCommon: false } })
    assert.deepEqual((await ann.api.get(policy)).body.data.passwords, NONE.passwords)
  })
})
