import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { createBranch } from '../../../test/support/branches.ts'
import type { Answer } from '../../../test/support/client.ts'
import { accept, invitationToken, invite, registerInvited, sendInvitation } from '../../../test/support/invitations.ts'
import { createRole, join, joinWith, rolesOf } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()

const list = async (by: Person, query = '') => (await by.api.get(`/companies/invitations${query}`)).body
const records = (by: Person, action: string, outcome = 'done') =>
  service.db.query(
    `select actor_id, target_type, target_id, target_label, changes from audit_records
     where company_id = $1 and action = $2 and outcome = $3 order by created_at, id`,
    [by.company.id, action, outcome],
  )
const emailsTo = async (email: string) => (await service.mailbox.to(email, 'invitation')).length
const expire = (id: string) =>
  service.db.query(`update invitations set expires_at = now() - interval '1 second' where id = $1`, [id])

describe('an invitation', () => {
  it('emails a link to the address, and shows it to no one', async () => {
    const ann = await signUp(service.client)
    const { id: branchId, name: branch } = await createBranch(ann)
    const { Manager } = await rolesOf(ann)
    const email = anyEmail()
    const answer = await ann.api.post('/companies/invitations', {
      email,
      name: 'Zoë',
      roleIds: [Manager],
      branchIds: [branchId],
      locale: 'pt-BR',
      expiresInDays: 3,
    })
    assert.equal(answer.status, 201)
    const { id, created_at, sent_at, expires_at, ...shown } = answer.body.data
    assert.deepEqual(shown, {
      email,
      name: 'Zoë',
      locale: 'pt-BR',
      roles: [{ id: Manager, name: 'Manager' }],
      branchIds: [branchId],
      status: 'pending',
      inviter: { id: ann.id, name: ann.name },
      resent: 0,
      finished_at: null,
    })
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 3 * 86_400_000)
    assert.equal(sent_at, created_at)
    const [message] = await service.mailbox.to(email, 'invitation')
    assert.match(message?.subject ?? '', /^Convite para participar da empresa /)
    assert.match(message?.text ?? '', /^Olá Zoë|^Olá, Zoë/)
    const token = await invitationToken(service, { email })
    const everything = JSON.stringify([
      answer.body,
      await list(ann),
      (await ann.api.get(`/companies/invitations/${id}`)).body,
      (await ann.api.get('/companies/audit')).body,
      (await ann.api.get('/companies/audit/export')).body,
      service.logged,
      await service.db.query('select * from emails where recipient_email = $1', [email]),
      await service.db.query('select * from invitations'),
      await service.db.query('select * from audit_records'),
    ])
    assert.ok(everything.includes(email))
    assert.equal(everything.includes(token), false)
    assert.deepEqual(await records(ann, 'invitations.create'), [
      {
        actor_id: ann.id,
        target_type: 'invitation',
        target_id: id,
        target_label: email,
        changes: { roles: { to: ['Manager'] }, branches: { from: [], to: [branch] }, days: { to: 3 } },
      },
    ])
  })

  it('is for the role Member, seven days and no branch, unless it says otherwise', async () => {
    const ann = await signUp(service.client)
    const { body } = await sendInvitation(ann)
    const { roles, branchIds, created_at, expires_at, name } = body.data
    assert.deepEqual([roles[0].name, branchIds, name], ['Member', [], ''])
    assert.equal(Date.parse(expires_at) - Date.parse(created_at), 7 * 86_400_000)
  })

  it('is in the language of the account where it has none of its own, and else in the company’s', async () => {
    const ann = await signUp(service.client)
    await ann.api.patch(`/companies/${ann.company.id}`, { locale: 'es' })
    const bob = await signUp(service.client)
    await bob.api.put('/auth/profile', { locale: 'pt' })
    const zoe = await signUp(service.client)
    const subjects = []
    for (const [person, locale] of [
      [bob, undefined],
      [zoe, undefined],
      [bob, 'en'],
    ] as const) {
      if (locale) await ann.api.delete((await list(ann, `?search=${person.email}`)).data.map(pathOf)[0])
      await invite(ann, { email: person.email, ...(locale && { locale }) })
      const messages = await service.mailbox.to(person.email, 'invitation')
      subjects.push(messages.at(-1)?.subject.split(' ')[0])
    }
    assert.deepEqual(subjects, ['Convite', 'Invitación', 'Invitation'])
  })

  const pathOf = ({ id }: { id: string }) => `/companies/invitations/${id}`

  it('does not tell whether the address has an account', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    await bob.api.put('/auth/profile', { locale: 'pt' })
    const shown = []
    for (const email of [bob.email, anyEmail()]) {
      const answer = await ann.api.post('/companies/invitations', { email })
      const { id: _, created_at, sent_at, expires_at, ...same } = answer.body.data
      assert.equal(same.email, email)
      shown.push([answer.status, { ...same, email: '' }])
    }
    assert.deepEqual(shown[0], shown[1])
  })

  it('repeats no name that advertises', async () => {
    const ann = await signUp(service.client, { name: 'Win at casino24.com', companyName: 'cheap pills at pills24.com' })
    const { email } = await invite(ann, { name: 'visit casino24.com' })
    const [message] = await service.mailbox.to(email, 'invitation')
    assert.doesNotMatch(`${message?.subject} ${message?.text} ${message?.html}`, /(casino|pills)24/)
    assert.match(message?.text ?? '', /^Hello,\n\nA member invited you to join a company/)
  })

  it('needs the permission to add members, and what its roles give', async () => {
    const ann = await signUp(service.client)
    const manager = await join(ann, await signUp(service.client), ['Manager'])
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    const member = await join(ann, await signUp(service.client), ['Member'])
    assertProblem(await sendInvitation(member), 403, 'permission_missing')
    assertProblem(await sendInvitation(manager, { roles: ['Admin'] }), 403, 'grant_exceeds_permissions')
    assertProblem(await sendInvitation(admin, { roles: ['Owner'] }), 403, 'grant_exceeds_permissions')
    assert.equal((await sendInvitation(manager, { roles: ['Manager'] })).status, 201)
    assert.equal((await sendInvitation(ann, { roles: ['Owner'] })).status, 201)
    assert.equal((await records(ann, 'invitations.create', 'grant_exceeds_permissions')).length, 2)
  })

  it('is refused for members, for a second time, and for what the company lacks', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const inactive = await join(ann, await signUp(service.client))
    await ann.api.patch(`/companies/users/${inactive.id}`, { status: 'inactive' })
    for (const { email } of [ann, inactive])
      assertProblem(await ann.api.post('/companies/invitations', { email }), 409, 'already_member')
    const { email } = await invite(ann)
    assertProblem(
      await ann.api.post('/companies/invitations', { email: email.toUpperCase() }),
      409,
      'invitation_pending',
    )
    assert.equal((await bob.api.post('/companies/invitations', { email })).status, 201)
    const post = (body: object) => ann.api.post('/companies/invitations', { email: anyEmail(), ...body })
    const { id: branchId } = await createBranch(bob)
    const { Member } = await rolesOf(bob)
    assertProblem(await post({ roleIds: [Member] }), 422, 'role_unknown')
    assertProblem(await post({ branchIds: [branchId] }), 422, 'branch_unknown')
    for (const body of [{ email: 'a@b' }, { expiresInDays: 31 }, { expiresInDays: 0 }, { expiresInDays: 1.5 }])
      assertProblem(await post(body), 400, 'validation_failed')
  })

  it('is one of two that invite the same address at once', async () => {
    const ann = await signUp(service.client)
    const email = anyEmail()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => ann.api.post('/companies/invitations', { email })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)])
    assert.equal(await emailsTo(email), 1)
  })

  it('counts against the limits of emails, and then changes nothing', async () => {
    const limited = await useTestApp({
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_PER_MINUTE: '10000',
      EMAILS_PER_HOUR: '7',
    })
    const ann = await signUp(limited.client)
    const { email, path } = await invite(ann)
    const token = await invitationToken(limited, { email })
    for (let sent = 1; sent < 5; sent++) assert.equal((await ann.api.post(`${path}/resend`)).status, 200)
    const newest = await invitationToken(limited, { email })
    const sixth = await ann.api.post(`${path}/resend`)
    assertProblem(sixth, 429, 'email_limit_reached')
    assert.ok(Number(sixth.headers.get('retry-after')) > 3000)
    const sent = await limited.db.query('select from emails where recipient_email = $1', [email])
    assert.equal(sent.length, 5)
    assert.equal((await ann.api.get(path)).body.data.resent, 4)
    const preview = (of: string) => limited.client.post('/auth/invitations/preview', { token: of })
    assertProblem(await preview(token), 400, 'link_invalid')
    assert.equal((await preview(newest)).status, 200)
    await invite(ann)
    await invite(ann)
    assertProblem(await sendInvitation(ann), 429, 'email_limit_reached')
    assert.equal((await list(ann)).total ?? (await ann.api.get('/companies/invitations')).body.total, 3)
  })

  it('is refused when a thousand are pending; expired ones do not count', async () => {
    const ann = await signUp(service.client)
    await service.db.query(
      `insert into invitations (company_id, id, email, link_id, valid_days, expires_at)
       select $1, gen_random_uuid(), 'many-' || n || '@example.com', gen_random_uuid(), 7, now() + interval '1 day'
       from generate_series(1, 1000) n`,
      [ann.company.id],
    )
    assertProblem(await sendInvitation(ann), 422, 'invitation_limit_reached')
    await service.db.query(
      `update invitations set expires_at = now() where company_id = $1 and email = 'many-1@example.com'`,
      [ann.company.id],
    )
    assert.equal((await ann.api.post('/companies/invitations', { email: 'many-1@example.com' })).status, 201)
  })
})

describe('the invitations of a company', () => {
  it('are listed by status, name and address, in every order, and of this company alone', async () => {
    const ann = await signUp(service.client)
    const other = await signUp(service.client)
    await invite(other)
    const names = ['José', 'Bob', 'Zoë', 'Ann', 'Eve']
    const invited = []
    // In neither order as they come.
    for (const [index, name] of names.entries())
      invited.push(
        await invite(ann, {
          name,
          email: `${(index * 2) % 5}-${anyEmail()}`,
          expiresInDays: 1 + ((index * 3 + 2) % 5),
        }),
      )
    const [first, second, third, fourth] = invited as [Invited, Invited, Invited, Invited]
    await ann.api.delete(first.path)
    await expire(second.id)
    await service.client.post('/auth/invitations/decline', { token: await invitationToken(service, third) })
    await registerInvited(service, await invitationToken(service, fourth))
    const namesOf = async (query: string) => (await list(ann, query)).data.map(({ name }: { name: string }) => name)
    assert.deepEqual(await namesOf(''), names)
    assert.deepEqual(await namesOf('?sortDir=desc&limit=2'), ['Eve', 'Ann'])
    assert.deepEqual(await namesOf('?search=jose'), ['José'])
    assert.deepEqual(await namesOf(`?search=${third.email.slice(3, 20)}`), ['Zoë'])
    const byStatus = { pending: 'Eve', accepted: 'Ann', declined: 'Zoë', revoked: 'José', expired: 'Bob' }
    for (const [status, name] of Object.entries(byStatus)) {
      const { data, total } = await list(ann, `?status=${status}`)
      assert.deepEqual([data[0].name, data[0].status, total], [name, status, 1])
      assert.equal(data[0].finished_at === null, ['pending', 'expired'].includes(status), status)
    }
    const named = (key: 'email' | 'expires_at') =>
      list(ann).then(({ data }) =>
        data.toSorted((one: Shown, other: Shown) => (one[key] < other[key] ? -1 : 1)).map(({ name }: Shown) => name),
      )
    for (const sortBy of ['email', 'expires_at'] as const) {
      const sorted = await named(sortBy)
      assert.notDeepEqual(sorted, names)
      assert.deepEqual(await namesOf(`?sortBy=${sortBy}`), sorted)
      assert.deepEqual(await namesOf(`?sortBy=${sortBy}&sortDir=desc`), sorted.toReversed())
      const pages = [1, 2, 3].map((page) => namesOf(`?sortBy=${sortBy}&limit=2&page=${page}`))
      assert.deepEqual((await Promise.all(pages)).flat(), sorted)
    }
    assertProblem(await ann.api.get('/companies/invitations?sortBy=link_id'), 400, 'validation_failed')
  })
  type Invited = Awaited<ReturnType<typeof invite>>
  type Shown = Record<'name' | 'email' | 'expires_at', string>

  it('are unknown to other companies', async () => {
    const ann = await signUp(service.client)
    const eve = await signUp(service.client)
    const { Manager } = await rolesOf(ann)
    const { id: branchId, name: branch } = await createBranch(ann)
    const { path, email, id } = await invite(ann, { name: 'Canary', roles: ['Manager'], branchIds: [branchId] })
    const token = await invitationToken(service, { email })
    const attempts = [
      eve.api.get(path),
      eve.api.patch(path, { name: 'x' }),
      eve.api.post(`${path}/resend`),
      eve.api.delete(path),
      eve.api.get(`/companies/invitations/${newId()}`),
    ]
    const refused = await Promise.all(attempts)
    for (const answer of refused) assertProblem(answer, 404, 'invitation_not_found')
    const found = (await ann.api.get(path)).body.data
    assert.deepEqual([found.name, found.status, found.resent], ['Canary', 'pending', 0])
    assert.deepEqual((await list(eve)).data, [])
    const answers = [...refused, await eve.api.get('/companies/invitations?search=Canary'), await accept(eve, token)]
    const shown = JSON.stringify(answers.map(({ body, headers }) => [body, ...headers]))
    const { company, name } = ann
    for (const canary of ['Canary', email, id, token, branch, branchId, Manager, name, company.id, company.name])
      assert.equal(shown.includes(String(canary)), false, canary)
  })
})

describe('a pending invitation', () => {
  it('can be edited, which makes the editor its inviter', async () => {
    const ann = await signUp(service.client)
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    const { id: branchId, name: branch } = await createBranch(ann)
    const { Manager, Member } = await rolesOf(ann)
    const invited = await invite(ann, { name: 'Bob', roles: ['Member'] })
    const { headers, body: before } = await admin.api.get(invited.path)
    const etag = headers.get('etag') as string
    const change = { roleIds: [Manager, Member], branchIds: [branchId], name: '', expiresInDays: 30 }
    const edited = await admin.api.patch(invited.path, change, { headers: { 'if-match': etag } })
    assert.equal(edited.status, 200)
    const { roles, branchIds, name, inviter, expires_at, resent } = edited.body.data
    assert.deepEqual(
      roles.map((role: { name: string }) => role.name),
      ['Manager', 'Member'],
    )
    assert.deepEqual([branchIds, name, inviter.id, resent], [[branchId], '', admin.id, 0])
    assert.ok(Date.parse(expires_at) > Date.parse(before.data.expires_at) + 20 * 86_400_000)
    assertProblem(
      await ann.api.patch(invited.path, { name: 'Carl' }, { headers: { 'if-match': etag } }),
      412,
      'version_mismatch',
    )
    assert.equal(await emailsTo(invited.email), 1)
    assert.deepEqual(
      (await records(ann, 'invitations.update')).map(({ changes }) => changes),
      [
        {
          name: { from: 'Bob', to: '' },
          roles: { from: ['Member'], to: ['Manager', 'Member'] },
          branches: { from: [], to: [branch] },
          days: { to: 30 },
          inviter: { from: ann.email, to: admin.email },
        },
      ],
    )
    const same = await admin.api.patch(invited.path, { roleIds: [Member, Manager] })
    assert.deepEqual([same.status, same.body.data], [200, edited.body.data])
    assert.equal((await records(ann, 'invitations.update')).length, 1)
  })

  it('is out of reach for members who lack what it gives', async () => {
    const ann = await signUp(service.client)
    const manager = await join(ann, await signUp(service.client), ['Manager'])
    const { Owner, Admin, Member } = await rolesOf(ann)
    const strong = await invite(ann, { roles: ['Admin'] })
    const weak = await invite(ann, { roles: ['Member'] })
    for (const attempt of [
      manager.api.patch(strong.path, { roleIds: [Member] }),
      manager.api.patch(strong.path, { name: 'x' }),
      manager.api.post(`${strong.path}/resend`),
      manager.api.delete(strong.path),
    ])
      assertProblem(await attempt, 403, 'target_exceeds_permissions')
    assertProblem(await manager.api.patch(weak.path, { roleIds: [Admin] }), 403, 'grant_exceeds_permissions')
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    assertProblem(await admin.api.patch(weak.path, { roleIds: [Owner] }), 403, 'grant_exceeds_permissions')
    assert.equal((await manager.api.patch(weak.path, { name: 'x' })).status, 200)
    assertProblem(await ann.api.patch(weak.path, { roleIds: [] }), 422, 'member_without_role')
    assertProblem(await ann.api.patch(weak.path, { roleIds: [newId()] }), 422, 'role_unknown')
    assertProblem(await ann.api.patch(weak.path, { branchIds: [newId()] }), 422, 'branch_unknown')
  })

  it('is sent again with another link, for as many days as before', async () => {
    const ann = await signUp(service.client)
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    const invited = await invite(ann, { expiresInDays: 3 })
    const former = await invitationToken(service, invited)
    await service.db.query(
      `update invitations set expires_at = now() + interval '1 hour', created_at = created_at - interval '3 days',
         sent_at = sent_at - interval '3 days' where id = $1`,
      [invited.id],
    )
    const { status, body } = await admin.api.post(`${invited.path}/resend`)
    assert.deepEqual([status, body.data.resent, body.data.inviter.id], [200, 1, admin.id])
    assert.equal(Date.parse(body.data.expires_at) - Date.parse(body.data.sent_at), 3 * 86_400_000)
    const token = await invitationToken(service, invited)
    assert.notEqual(token, former)
    const bob = await signUp(service.client, { email: invited.email })
    assertProblem(await accept(bob, former), 400, 'link_invalid')
    assertProblem(await service.client.post('/auth/invitations/decline', { token: former }), 400, 'link_invalid')
    assert.equal((await accept(bob, token)).status, 200)
    assert.equal((await records(ann, 'invitations.resend')).length, 1)
  })

  it('is the only one that can be changed', async () => {
    const ann = await signUp(service.client)
    const [revoked, expired, declined, accepted] = [
      await invite(ann),
      await invite(ann),
      await invite(ann),
      await invite(ann),
    ]
    assert.deepEqual((await ann.api.delete(revoked.path)).body.data, { id: revoked.id })
    await expire(expired.id)
    await service.client.post('/auth/invitations/decline', { token: await invitationToken(service, declined) })
    assert.equal((await registerInvited(service, await invitationToken(service, accepted))).status, 201)
    for (const { path } of [revoked, expired, declined, accepted]) {
      assertProblem(await ann.api.patch(path, { name: 'x' }), 422, 'invitation_not_pending')
      assertProblem(await ann.api.post(`${path}/resend`), 422, 'invitation_not_pending')
      assertProblem(await ann.api.delete(path), 422, 'invitation_not_pending')
    }
    assert.equal((await records(ann, 'invitations.revoke')).length, 1)
    for (const { email } of [revoked, expired, declined])
      assert.equal((await ann.api.post('/companies/invitations', { email })).status, 201)
  })

  it('is revoked once, by one of twenty at once', async () => {
    const ann = await signUp(service.client)
    const { path, id } = await invite(ann)
    const answers = await Promise.all(Array.from({ length: 20 }, () => ann.api.delete(path)))
    const [revoked, ...others] = answers.sort((one, other) => one.status - other.status)
    assert.deepEqual([revoked?.status, revoked?.body.data], [200, { id }])
    for (const answer of others) assertProblem(answer, 422, 'invitation_not_pending')
    assert.equal((await records(ann, 'invitations.revoke')).length, 1)
  })

  it('is changed no more by who waits while a member gets its address', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    const send: Record<string, (path: string) => Promise<Answer>> = {
      patch: (path) => ann.api.patch(path, { name: 'Bob' }),
      resend: (path) => ann.api.post(`${path}/resend`),
      revoke: (path) => ann.api.delete(path),
    }
    for (const change of Object.values(send)) {
      const { path, email } = await invite(ann)
      await service.db.query('begin')
      await service.db.query('update accounts set email = $2 where id = $1', [bob.id, email])
      const answer = change(path)
      await service.db.waitForLock()
      await service.db.query('commit')
      assertProblem(await answer, 422, 'invitation_not_pending')
      assert.equal((await ann.api.get(path)).body.data.status, 'accepted')
      assert.equal(await emailsTo(email), 0)
    }
  })

  it('stays unsent when it was revoked before its email left', async () => {
    const ann = await signUp(service.client)
    const { email, path } = await invite(ann)
    await ann.api.delete(path)
    assert.equal(await emailsTo(email), 0)
    const [row] = await service.db.query('select status, last_error from emails where recipient_email = $1', [email])
    assert.equal(row?.status, 'failed')
  })

  it('keeps a role from being deleted, and gets the one that replaces it', async () => {
    const ann = await signUp(service.client)
    const { Manager } = await rolesOf(ann)
    const role = await createRole(ann, 'Seller', ['users:read'])
    const invited = await invite(ann, { roles: ['Seller', 'Manager'] })
    const alone = await invite(ann, { roles: ['Seller'] })
    const refused = await ann.api.delete(role.path)
    assertProblem(refused, 409, 'role_in_use')
    assert.equal(refused.body.count, 2)
    const preview = await ann.api.delete(`${role.path}?reassignTo=${Manager}&dryRun=true`)
    assert.deepEqual(preview.body.data.impact, { memberCount: 0, gaining: [], losing: [], joiningCount: 2 })
    assert.equal((await ann.api.delete(`${role.path}?reassignTo=${Manager}`)).status, 200)
    for (const { path } of [invited, alone])
      assert.deepEqual((await ann.api.get(path)).body.data.roles, [{ id: Manager, name: 'Manager' }])
    const { body } = await registerInvited(service, await invitationToken(service, alone))
    assert.deepEqual(body.data.companyRoles[ann.company.id], ['Manager'])
    const unused = await createRole(ann, 'Buyer')
    const revoked = await invite(ann, { roles: ['Buyer'] })
    await ann.api.delete(revoked.path)
    assert.equal((await ann.api.delete(unused.path)).status, 200)
    assert.deepEqual((await ann.api.get(revoked.path)).body.data.roles, [])
  })

  it('loses a branch that is deleted', async () => {
    const ann = await signUp(service.client)
    const { id: branchId } = await createBranch(ann)
    const { path } = await invite(ann, { branchIds: [branchId] })
    assert.equal((await ann.api.delete(`/companies/branches/${branchId}`)).status, 200)
    assert.deepEqual((await ann.api.get(path)).body.data.branchIds, [])
  })

  it('is read with users:read alone, and changed with users:create', async () => {
    const ann = await signUp(service.client)
    const reader = await joinWith(ann, await signUp(service.client), ['users:read'])
    const { path } = await invite(ann)
    assert.equal((await reader.api.get(path)).status, 200)
    assertProblem(await reader.api.delete(path), 403, 'permission_missing')
  })
})
