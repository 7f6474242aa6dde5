import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changeAddress, freeFormerAddresses } from '../../../test/support/addresses.ts'
import { startTestApp, type TestApp, useTestApp } from '../../../test/support/app.ts'
import { createBranch } from '../../../test/support/branches.ts'
import { addApp, confirmMailbox, confirmSignIn, mailboxCodeTo } from '../../../test/support/factors.ts'
import {
  accept,
  createInvitationLink,
  type Invited,
  invitationToken,
  invite,
  joinByLink,
  registerInvited,
} from '../../../test/support/invitations.ts'
import {
  addMember,
  createRole,
  emailedPassword,
  join,
  link,
  recoverAccount,
  rolesOf,
} from '../../../test/support/members.ts'
import { assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'
import { linkToken } from '../../lib/secrets.ts'
import { disableAccount } from '../auth/disable-account.ts'

const service = await useTestApp()

/** Invited by Ann, and the token. */
async function inviteBy(ann: Person, details: Parameters<typeof invite>[1] = {}) {
  const invited = await invite(ann, details)
  return { ...invited, token: await invitationToken(service, invited) }
}

const preview = (token: string) => service.client.post('/auth/invitations/preview', { token })
const decline = (token: string) => service.client.post('/auth/invitations/decline', { token })
const statusOf = async (by: Person, { path }: Invited) => (await by.api.get(path)).body.data.status
const memberOf = async (by: Person, { id }: { id: string }) => (await by.api.get(`/companies/users/${id}`)).body.data
const countOf = async (by: Person, action: string, outcome = 'done') => {
  const rows = await service.db.query(
    'select from audit_records where company_id = $1 and action = $2 and outcome = $3',
    [by.company.id, action, outcome],
  )
  return rows.length
}
const own = async (person: Person) => (await person.api.get('/auth/invitations')).body.data

describe('a person without an account', () => {
  for (const [locale, subject, hello] of [
    ['en', 'Invitation to join', 'Hello'],
    ['es-MX', 'Invitación a', 'Hola'],
    ['pt-BR', 'Convite para', 'Olá'],
  ] as const)
    it(`comes in by the link in the email, as the invitation says, in ${locale}`, async () => {
      const ann = await signUp(service.client)
      const { id: branchId } = await createBranch(ann)
      const { id, email, token, path } = await inviteBy(ann, { locale, roles: ['Manager'], branchIds: [branchId] })
      const [message] = await service.mailbox.to(email, 'invitation')
      assert.ok(message?.subject.startsWith(subject) && message.text.startsWith(hello))
      const { body: seen } = await preview(token)
      const { expires_at, ...shown } = seen.data
      assert.deepEqual(shown, {
        company: { name: ann.company.name },
        inviter: { name: ann.name },
        email,
        hasAccount: false,
        next: 'register',
      })

      const { status, body } = await registerInvited(service, token, { name: 'Zoë' })
      assert.equal(status, 201)
      const { user, tenants, companyRoles } = body.data
      assert.deepEqual([user.email, user.name, user.email_verified, user.locale], [email, 'Zoë', true, locale])
      assert.deepEqual(
        tenants.map((tenant: { id: string }) => tenant.id),
        [ann.company.id],
      )
      assert.deepEqual(companyRoles, { [ann.company.id]: ['Manager'] })
      const member = await memberOf(ann, user)
      assert.deepEqual([member.branchIds, member.managed, member.status], [[branchId], false, 'active'])
      const api = service.client.with({ token: body.data.accessToken, company: ann.company.id })
      assert.equal((await api.get('/companies/users')).status, 200)
      assert.equal((await signIn(service.client, email)).id, user.id)
      const { status: state, finished_at } = (await ann.api.get(path)).body.data
      assert.deepEqual([state, finished_at !== null], ['accepted', true])
      const [notice] = await service.mailbox.to(ann.email, 'invitation_accepted')
      assert.match(notice?.subject ?? '', /^Zoë \(\S+@\S+\) joined /)
      const done = await service.db.query(
        `select action, actor_id, target_type, target_id from audit_records
         where company_id = $1 and actor_id = $2 and outcome = 'done' order by created_at, id`,
        [ann.company.id, user.id],
      )
      assert.deepEqual(done, [
        { action: 'invitations.accept', actor_id: user.id, target_type: 'invitation', target_id: id },
        { action: 'users.join', actor_id: user.id, target_type: 'member', target_id: user.id },
      ])
      for (const attempt of [registerInvited(service, token), preview(token), decline(token)])
        assertProblem(await attempt, 400, 'link_invalid')
    })

  it('gets the address of the invitation, whatever the request says, and no company', async () => {
    const ann = await signUp(service.client)
    const { email, token } = await inviteBy(ann)
    const more = { email: 'other@example.com', companyName: 'Phantom', taxId: '1', roleIds: [], sessionIn: undefined }
    const { body } = await registerInvited(service, token, { ...more, locale: 'es' })
    assert.deepEqual([body.data.user.email, body.data.user.locale, body.data.tenants.length], [email, 'es', 1])
    assert.deepEqual(await service.db.query(`select from companies where name = 'Phantom'`), [])
  })

  it('may keep the refresh token in a cookie', async () => {
    const ann = await signUp(service.client)
    const { token } = await inviteBy(ann)
    const body = { token, name: 'Zoë', password: PASSWORD, sessionIn: 'cookie' }
    const answer = await service.client.post('/auth/invitations/register', body, {
      headers: { origin: 'https://app.example.com' },
    })
    assert.equal(answer.status, 201)
    assert.equal(answer.body.data.refreshToken, undefined)
    assert.match(answer.headers.get('set-cookie') ?? '', /HttpOnly/)
  })

  it('signs up once, however many requests come at once', async () => {
    const ann = await signUp(service.client)
    const { email, token } = await inviteBy(ann)
    const answers = await Promise.all(Array.from({ length: 8 }, () => registerInvited(service, token)))
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    for (const { status, body } of answers)
      assert.ok(status === 201 || ['link_invalid', 'email_taken'].includes(body.code), JSON.stringify(body))
    const accounts = await service.db.query('select from accounts where email = $1', [email])
    assert.deepEqual([accounts.length, await countOf(ann, 'users.join')], [1, 1])
  })

  it('gets the same response for the same key', async () => {
    const ann = await signUp(service.client)
    const { token } = await inviteBy(ann)
    const headers = { 'idempotency-key': newId() }
    const send = () =>
      service.client.post('/auth/invitations/register', { token, name: 'Zoë', password: PASSWORD }, { headers })
    const [first, again] = [await send(), await send()]
    assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body])
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  })

  it('is sent to sign in when the address got an account meanwhile', async () => {
    const ann = await signUp(service.client)
    const { email, token } = await inviteBy(ann)
    await signUp(service.client, { email })
    assert.deepEqual((({ hasAccount, next }) => [hasAccount, next])((await preview(token)).body.data), [
      true,
      'sign_in',
    ])
    assertProblem(await registerInvited(service, token), 409, 'email_taken')
    assert.equal(await countOf(ann, 'invitations.accept'), 0)
  })

  it('may choose no password that the policy refuses', async () => {
    const ann = await signUp(service.client)
    const { email, token, path } = await inviteBy(ann, { email: `Ab1.${newId()}@example.com` })
    for (const password of ['short', 'no-capitals-1', `A${email.slice(1)}`])
      assertProblem(await registerInvited(service, token, { password }), 400, 'validation_failed')
    assert.equal((await ann.api.get(path)).body.data.status, 'pending')
  })
})

describe('a person with an account', () => {
  it('accepts signed in, and keeps password, name and company', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const invited = await inviteBy(ann, { email: bob.email, name: 'Robert', roles: ['Manager', 'Member'] })
    const { status, body } = await accept(bob, invited.token)
    assert.equal(status, 200)
    const { id, name, slug } = ann.company
    assert.deepEqual(body.data, {
      company: { id, name, slug, status: 'active' },
      roles: ['Manager', 'Member'],
      status: 'active',
    })
    const { data } = (await bob.api.get('/auth/me')).body
    assert.deepEqual([data.user.name, data.user.email_verified, data.tenants.length], [bob.name, true, 2])
    assert.equal((await signIn(service.client, bob.email)).id, bob.id)
    const [membership] = await service.db.query(
      'select opened_at is not null as opened, added_by from memberships where company_id = $1 and account_id = $2',
      [id, bob.id],
    )
    assert.deepEqual(membership, { opened: true, added_by: ann.id })
  })

  it('has verified the address by the link, which the records of the account tell once', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const { token } = await inviteBy(ann, { email: bob.email })
    for (let times = 0; times < 2; times++) assert.equal((await accept(bob, token)).status, 200)
    const records = await service.db.query(
      `select company_id, target_id, target_label from audit_records
       where actor_id = $1 and action = 'accounts.verify_email' and outcome = 'done'`,
      [bob.id],
    )
    assert.deepEqual(records, [{ company_id: null, target_id: bob.id, target_label: bob.email }])
  })

  it('verifies no address by a link that has expired since the invitation was accepted', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const { id, token } = await inviteBy(ann, { email: bob.email })
    await join(ann, bob)
    await service.db.query('update invitations set expires_at = now() where id = $1', [id])
    assertProblem(await accept(bob, token), 400, 'link_invalid')
    assert.equal((await bob.api.get('/auth/me')).body.data.user.email_verified, false)
  })

  it('keeps a second factor, which the link does not stand in for', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const app = await addApp(service, bob)
    const { token } = await inviteBy(ann, { email: bob.email })
    const stored = () =>
      service.db.query(
        `select second_factors.id, secret, confirmed_at, hash from second_factors join passwords using (account_id)
         where account_id = $1`,
        [bob.id],
      )
    const before = await stored()
    assertProblem(await registerInvited(service, token), 409, 'email_taken')
    assert.equal((await accept(bob, token)).status, 200)
    assert.deepEqual(await stored(), before)
    assert.equal(before.length, 1)
    assert.equal((await confirmSignIn(service.client, bob, { code: await app.unusedCode() })).status, 200)
  })

  it('gets the same answer twenty times at once, and becomes a member once', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const { token, path } = await inviteBy(ann, { email: bob.email })
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(bob, token)))
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]?.body])
    const { length } = await service.db.query('select from memberships where company_id = $1', [ann.company.id])
    assert.deepEqual([length, await countOf(ann, 'invitations.accept'), await countOf(ann, 'users.join')], [2, 1, 1])
    assert.equal((await service.mailbox.to(ann.email, 'invitation_accepted')).length, 1)
    assert.equal((await accept(bob, token)).status, 200)
    const id = path.split('/').at(-1)
    await confirmMailbox(service, bob)
    assert.deepEqual((await bob.api.post(`/auth/invitations/${id}/accept`)).body, answers[0]?.body)
  })

  it('can’t accept what is for another address', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const eve = await signUp(service.client)
    const invited = await inviteBy(ann, { email: bob.email })
    const refused = await accept(eve, invited.token)
    assertProblem(refused, 403, 'invitation_for_another')
    assert.equal(JSON.stringify(refused.body).includes(bob.email), false)
    assert.equal(await statusOf(ann, invited), 'pending')
    assert.equal(await countOf(ann, 'users.join'), 0)
    const foreign = await service.db.query('select from audit_records where company_id = $1 and actor_id = $2', [
      ann.company.id,
      eve.id,
    ])
    assert.deepEqual(foreign, [])
    assert.equal((await accept(bob, invited.token)).status, 200)
  })

  it('sees and answers own invitations without a token, once the address is verified', async () => {
    const ann = await signUp(service.client)
    const eve = await signUp(service.client)
    const invited = await invite(ann, { email: eve.email })
    const at = (what: string, { id }: { id: string } = invited) => `/auth/invitations/${id}/${what}`
    assert.deepEqual(await own(eve), [])
    for (const what of ['accept', 'decline'])
      for (const target of [invited, { id: newId() }])
        assertProblem(await eve.api.post(at(what, target)), 403, 'email_verification_required')
    assert.equal(await statusOf(ann, invited), 'pending')

    const owner = await recoverAccount(service, eve)
    const [listed] = await own(owner)
    const { created_at, expires_at } = (await ann.api.get(invited.path)).body.data
    assert.deepEqual(listed, {
      id: invited.id,
      company: { name: ann.company.name },
      inviter: { name: ann.name },
      created_at,
      expires_at,
    })
    const bob = await recoverAccount(service, await signUp(service.client))
    for (const what of ['accept', 'decline']) assertProblem(await bob.api.post(at(what)), 404, 'invitation_not_found')
    // That the address is verified does not say who reads it: see decision 50.
    for (const what of ['accept', 'decline']) {
      assertProblem(await owner.api.post(at(what)), 403, 'mailbox_code_required')
      assertProblem(await owner.api.post(at(what), { emailCode: '00000000' }), 401, 'second_factor_wrong')
    }
    assert.equal(await statusOf(ann, invited), 'pending')
    const emailCode = await mailboxCodeTo(service, owner.email)
    assert.equal((await owner.api.post(at('accept'), { emailCode })).status, 200)
    assert.deepEqual(await own(owner), [])
    assertProblem(await owner.api.post(at('decline')), 422, 'invitation_not_pending')

    const second = await invite(await signUp(service.client), { email: eve.email })
    assert.deepEqual((await owner.api.post(at('decline', second))).body.data, {})
    assertProblem(await owner.api.post(at('accept', second)), 422, 'invitation_not_pending')
  })

  it('sees the 100 newest of many invitations', async () => {
    const bob = await recoverAccount(service, await signUp(service.client))
    await service.db.query(`
      set session_replication_role = replica;
      with made as (
        insert into companies (id, name, slug, tax_id) select gen_random_uuid(), 'Many ' || n, 'many-' || n, 'x'
        from generate_series(1, 101) n returning id, name)
      insert into invitations (company_id, id, email, link_id, valid_days, expires_at, created_at)
        select id, gen_random_uuid(), '${bob.email}', gen_random_uuid(), 7, now() + interval '1 day',
          now() - make_interval(mins => substr(name, 6)::integer) from made;
      set session_replication_role = origin`)
    const names = (await own(bob)).map(({ company }: { company: { name: string } }) => company.name)
    assert.deepEqual(
      names,
      Array.from({ length: 100 }, (_, index) => `Many ${index + 1}`),
    )
  })

  it('that became a member in another way stays one as it is', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const invited = await inviteBy(ann, { email: bob.email, roles: ['Admin'] })
    await join(ann, bob, ['Member'])
    const { status, body } = await accept(bob, invited.token)
    assert.deepEqual([status, body.data.roles, body.data.status], [200, ['Member'], 'active'])
    assert.deepEqual((await memberOf(ann, bob)).roles, ['Member'])
    assert.equal(await statusOf(ann, invited), 'accepted')
    assert.equal(await countOf(ann, 'users.add'), 1)
    const other = await signUp(service.client)
    const late = await inviteBy(ann, { email: other.email, roles: ['Admin'] })
    await join(ann, other, ['Member'])
    await ann.api.patch(`/companies/users/${other.id}`, { status: 'inactive' })
    assert.equal((await accept(other, late.token)).body.data.status, 'inactive')
    assert.equal((await memberOf(ann, other)).status, 'inactive')
  })

  it('that was added meanwhile and has not opened the company does not show it from where it accepts', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const invited = await inviteBy(ann, { email: bob.email })
    await link(ann, bob)
    await ann.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' })
    // As if it had been made in the moment in which the account got the address.
    const reopen = `update invitations set status = 'pending', accepted_by = null, finished_at = null where id = $1`
    await service.db.query(reopen, [invited.id])
    assert.equal((await accept(bob, invited.token)).body.data.status, 'inactive')
    const [record] = (await ann.api.get('/companies/audit?action=invitations.accept')).body.data
    assert.deepEqual([record.actor.id, record.ip, record.user_agent, record.via], [bob.id, null, '', null])
  })

  it('whose password an administrator has seen needs a new one first', async () => {
    const ann = await signUp(service.client)
    const eve = await signUp(service.client)
    const managed = await addMember(eve)
    await emailedPassword(service, managed.email)
    const { temporaryPassword: currentPassword } = (await eve.api.post(`/companies/users/${managed.id}/reset-password`))
      .body.data
    const limited = await signIn(service.client, managed.email, currentPassword)
    await limited.api.post('/auth/change-temporary-password', { currentPassword, newPassword: PASSWORD })
    const seen = await signIn(service.client, managed.email)
    const invited = await inviteBy(ann, { email: managed.email, roles: ['Owner'] })
    assertProblem(await accept(seen, invited.token), 403, 'email_verification_required')
    assert.equal(await statusOf(ann, invited), 'pending')
    assert.equal((await accept(await recoverAccount(service, managed), invited.token)).status, 200)
  })
})

describe('a link', () => {
  it('that is altered in any place, or of another purpose, opens nothing', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const { token } = await inviteBy(ann, { email: bob.email })
    for (let place = 0; place < token.length; place++) {
      const other = token[place] === 'A' ? 'B' : 'A'
      assertProblem(await accept(bob, token.slice(0, place) + other + token.slice(place + 1)), 400, 'link_invalid')
    }
    await service.client.post('/auth/forgot-password', { email: bob.email })
    const reset = await service.mailbox.token(bob.email, 'reset_password')
    const [{ link_id }] = (await service.db.query('select link_id from invitations where email = $1', [bob.email])) as [
      { link_id: string },
    ]
    // An id and a MAC of 192 bits: there is no address, role or company in it that could be rewritten.
    assert.equal(Buffer.from(token, 'base64url').toString('hex', 0, 16), link_id.replaceAll('-', ''))
    assert.equal(Buffer.from(token, 'base64url').length, 16 + 24)
    const joining = (await ann.api.post('/companies/invitation-links', {})).body.data.token
    for (const wrong of [
      reset,
      joining,
      linkToken(service.keys, link_id),
      linkToken(service.keys, newId(), 'invitation'),
    ]) {
      assertProblem(await accept(bob, wrong), 400, 'link_invalid')
      assertProblem(await preview(wrong), 400, 'link_invalid')
      assertProblem(await registerInvited(service, wrong), 400, 'link_invalid')
    }
    for (const path of ['/auth/reset-password', '/auth/verify-email'])
      assertProblem(await service.client.post(path, { token, newPassword: PASSWORD }), 400, 'link_invalid')
    assert.equal((await accept(bob, token)).status, 200)
  })

  it('ends by the clock of the database, whatever that of the service says', async (t) => {
    const ann = await signUp(service.client)
    const [live, expired] = [await inviteBy(ann), await inviteBy(ann)]
    await service.db.query('update invitations set expires_at = now() where id = $1', [expired.id])
    for (const days of [31, -31]) {
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + days * 86_400_000 })
      assert.equal((await preview(live.token)).status, 200)
      for (const send of [preview, decline, (token: string) => registerInvited(service, token)])
        assertProblem(await send(expired.token), 400, 'link_invalid')
      t.mock.timers.reset()
    }
    assert.equal((await registerInvited(service, live.token)).status, 201)
  })

  it('ends when the invitation is declined, revoked or has expired', async () => {
    const ann = await signUp(service.client)
    const ends: Record<string, (invited: Invited & { token: string }) => Promise<unknown>> = {
      declined: ({ token }) => decline(token),
      revoked: ({ path }) => ann.api.delete(path),
      expired: ({ id }) => service.db.query('update invitations set expires_at = now() where id = $1', [id]),
    }
    for (const [status, end] of Object.entries(ends)) {
      const bob = await signUp(service.client)
      const invited = await inviteBy(ann, { email: bob.email })
      await end(invited)
      assert.equal(await statusOf(ann, invited), status)
      for (const attempt of [accept(bob, invited.token), preview(invited.token), decline(invited.token)])
        assertProblem(await attempt, 400, 'link_invalid')
      const verified = await recoverAccount(service, bob)
      await confirmMailbox(service, verified)
      assert.deepEqual(await own(verified), [])
      assertProblem(await verified.api.post(`/auth/invitations/${invited.id}/accept`), 422, 'invitation_not_pending')
    }
    assert.equal(await countOf(ann, 'users.join'), 0)
  })

  it('is declined without an account; the company learns no more than its answer', async () => {
    const ann = await signUp(service.client)
    const { email, token } = await inviteBy(ann)
    const { status, body } = await decline(token)
    assert.deepEqual([status, body.data], [200, {}])
    const [record] = await service.db.query(
      `select actor_id, actor_email, ip, user_agent from audit_records where company_id = $1 and action = 'invitations.decline'`,
      [ann.company.id],
    )
    assert.deepEqual(record, { actor_id: null, actor_email: email, ip: null, user_agent: '' })
  })

  it('rests while the company is suspended or deleted', async () => {
    const ann = await signUp(service.client)
    const bob = await recoverAccount(service, await signUp(service.client))
    const { id, token } = await inviteBy(ann, { email: bob.email })
    const set = (column: string, value: string) =>
      service.db.query(`update companies set ${column} = ${value} where id = $1`, [ann.company.id])
    for (const column of ['suspended_at', 'deleted_at']) {
      await set(column, 'now()')
      assertProblem(await accept(bob, token), 400, 'link_invalid')
      assertProblem(await preview(token), 400, 'link_invalid')
      assertProblem(await bob.api.post(`/auth/invitations/${id}/accept`), 404, 'invitation_not_found')
      assert.deepEqual(await own(bob), [])
      await set(column, 'null')
    }
    assert.equal((await accept(bob, token)).status, 200)
  })

  const ends: Record<
    string,
    [end: (ann: Person, invited: Invited & { token: string }) => ReturnType<typeof decline>, late: number]
  > = {
    revoked: [(ann, { path }) => ann.api.delete(path), 422],
    declined: [(_ann, { token }) => decline(token), 400],
  }
  for (const [status, [end, late]] of Object.entries(ends))
    it(`is accepted or ${status}, never both`, async () => {
      const ann = await signUp(service.client)
      for (let round = 0; round < 6; round++) {
        const bob = await signUp(service.client)
        const invited = await inviteBy(ann, { email: bob.email })
        const accepting = () => accept(bob, invited.token)
        const ending = () => end(ann, invited)
        const inOrder = round % 2 ? [accepting(), ending()] : [ending(), accepting()].toReversed()
        const [accepted, ended] = await Promise.all(inOrder)
        const isMember = (await ann.api.get(`/companies/users/${bob.id}`)).status === 200
        assert.deepEqual([accepted?.status, ended?.status], isMember ? [200, late] : [400, 200])
        assert.equal(await statusOf(ann, invited), isMember ? 'accepted' : status)
      }
    })

  it('is declined once, by one of twenty at once', async () => {
    const ann = await signUp(service.client)
    const invited = await inviteBy(ann)
    const answers = await Promise.all(Array.from({ length: 20 }, () => decline(invited.token)))
    const [declined, ...others] = answers.sort((one, other) => one.status - other.status)
    assert.equal(declined?.status, 200)
    for (const answer of others) assertProblem(answer, 400, 'link_invalid')
    assert.deepEqual([await statusOf(ann, invited), await countOf(ann, 'invitations.decline')], ['declined', 1])
  })
})

describe('the inviter', () => {
  const losses: Record<string, (ann: Person, admin: Person) => Promise<unknown>> = {
    'has fewer roles': async (ann, admin) =>
      ann.api.patch(`/companies/users/${admin.id}`, { roleIds: [(await rolesOf(ann)).Member] }),
    'is inactive': (ann, admin) => ann.api.patch(`/companies/users/${admin.id}`, { status: 'inactive' }),
    'has left': (_ann, admin) => admin.api.post(`/companies/${admin.company.id}/leave`),
    'is removed': (ann, admin) => ann.api.delete(`/companies/users/${admin.id}`),
    'is disabled': (_ann, admin) =>
      disableAccount(service.database, { ip: null, userAgent: '', requestId: '' }, admin.id, { notifies: false }),
  }
  for (const [loss, lose] of Object.entries(losses))
    it(`must still be able to give the roles: nothing is given when the inviter ${loss}`, async () => {
      const ann = await signUp(service.client)
      const admin = await join(ann, await signUp(service.client), ['Admin'])
      const bob = await signUp(service.client)
      const [known, unknown] = [
        await inviteBy(admin, { email: bob.email, roles: ['Admin'] }),
        await inviteBy(admin, { roles: ['Admin'] }),
      ]
      await lose(ann, admin)
      assertProblem(await accept(bob, known.token), 422, 'invitation_no_longer_valid')
      assertProblem(await registerInvited(service, unknown.token), 422, 'invitation_no_longer_valid')
      for (const invited of [known, unknown]) assert.equal(await statusOf(ann, invited), 'revoked')
      assertProblem(await accept(bob, known.token), 400, 'link_invalid')
      assert.deepEqual(await service.db.query('select from accounts where email = $1', [unknown.email]), [])
      assert.equal(await countOf(ann, 'invitations.accept', 'invitation_no_longer_valid'), 2)
      const [record] = await service.db.query(
        `select actor_id, actor_email, ip from audit_records where company_id = $1 and outcome = 'invitation_no_longer_valid'
         order by created_at, id`,
        [ann.company.id],
      )
      assert.deepEqual(record, { actor_id: null, actor_email: bob.email, ip: null })
    })

  it('gives no more than at the moment of acceptance, although the role has grown', async () => {
    const ann = await signUp(service.client)
    const manager = await join(ann, await signUp(service.client), ['Manager'])
    const bob = await signUp(service.client)
    const role = await createRole(ann, 'Seller', ['users:read'])
    const invited = await inviteBy(manager, { email: bob.email, roles: ['Seller'] })
    assert.equal((await ann.api.patch(role.path, { permissions: ['users:read', 'roles:delete'] })).status, 200)
    assertProblem(await accept(bob, invited.token), 422, 'invitation_no_longer_valid')
  })

  it('is the last one who edited or sent it: what the first one loses then does not matter', async () => {
    const ann = await signUp(service.client)
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    const bob = await signUp(service.client)
    const { path, token } = await inviteBy(admin, { email: bob.email, roles: ['Admin'] })
    await ann.api.delete(`/companies/users/${admin.id}`)
    assert.equal((await ann.api.get(path)).body.data.inviter, null)
    assert.equal((await ann.api.patch(path, { name: 'Bob' })).body.data.inviter.id, ann.id)
    assert.equal((await accept(bob, token)).status, 200)
  })
})

it('an inviter whose address has changed hears of who has accepted at the address before as well', async () => {
  const ann = await signUp(service.client)
  const email = await changeAddress(service, ann)
  const { token } = await inviteBy(ann)
  await registerInvited(service, token)
  for (const address of [ann.email, email])
    assert.equal((await service.mailbox.to(address, 'invitation_accepted')).length, 1, address)
})

describe('a former member', () => {
  it('is not brought back by what was sent before the removal', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const before = await inviteBy(ann, { email: bob.email })
    await join(ann, bob)
    await ann.api.delete(`/companies/users/${bob.id}`)
    assertProblem(await accept(bob, before.token), 400, 'link_invalid')
    const later = await inviteBy(ann, { email: bob.email })
    assert.equal((await accept(bob, later.token)).status, 200)
  })

  it('that was deactivated does not come back by leaving', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const before = await inviteBy(ann, { email: bob.email, roles: ['Admin'] })
    await join(ann, bob)
    await ann.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' })
    assert.equal((await bob.api.post(`/companies/${ann.company.id}/leave`)).status, 200)
    assertProblem(await accept(bob, before.token), 400, 'link_invalid')
  })

  it('is not brought back under another address either, unless it is asked again', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const email = `new.${bob.email}`
    await join(ann, bob)
    const before = await inviteBy(ann, { email })
    await ann.api.delete(`/companies/users/${bob.id}`)
    assert.equal(await statusOf(ann, before), 'pending')
    await changeAddress(service, bob, email)
    assertProblem(await accept(bob, before.token), 422, 'invitation_no_longer_valid')
    assert.equal(await statusOf(ann, before), 'revoked')
    const again = await inviteBy(ann, { email })
    await ann.api.post(`${again.path}/resend`)
    assert.equal((await accept(bob, await invitationToken(service, { email }))).status, 200)
  })

  it('is brought back under another address by what a member has saved since, as it was', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const email = `new.${bob.email}`
    await join(ann, bob)
    const before = await inviteBy(ann, { email, name: 'Bob' })
    await ann.api.delete(`/companies/users/${bob.id}`)
    await changeAddress(service, bob, email)
    for (let time = 0; time < 2; time++) assert.equal((await ann.api.patch(before.path, { name: 'Bob' })).status, 200)
    assert.equal(await countOf(ann, 'invitations.update'), 1)
    assert.equal((await accept(bob, before.token)).status, 200)
  })

  for (const [how, becomeMember] of Object.entries({
    'is added': (ann, bob) => join(ann, bob),
    'joins by a link': async (ann, bob) => joinByLink(bob, (await createInvitationLink(ann)).token),
    'gets the address as a member': async (ann, bob) => {
      await changeAddress(service, bob)
      await join(ann, bob)
      await changeAddress(service, bob, bob.email)
    },
  } satisfies Record<string, (ann: Person, bob: Person) => Promise<unknown>>))
    it(`is not brought back, as another account, by what was sent before: ${how}`, async () => {
      const ann = await signUp(service.client)
      const bob = await recoverAccount(service, await signUp(service.client))
      await confirmMailbox(service, bob)
      const before = await inviteBy(ann, { email: bob.email, roles: ['Admin'], expiresInDays: 30 })
      await becomeMember(ann, bob)
      assert.equal(await statusOf(ann, before), 'accepted')
      assert.deepEqual(await own(bob), [])
      assert.deepEqual((await accept(bob, before.token)).body.data.roles, ['Member'])
      assert.equal(await countOf(ann, 'invitations.accept'), 0)

      await changeAddress(service, bob)
      await ann.api.delete(`/companies/users/${bob.id}`)
      await freeFormerAddresses(service, bob)
      assertProblem(await registerInvited(service, before.token), 400, 'link_invalid')
      assertProblem(await accept(bob, before.token), 403, 'invitation_for_another')
      const later = await inviteBy(ann, { email: bob.email })
      assert.equal((await registerInvited(service, later.token)).status, 201)
    })

  it('is not brought back by an invitation to an address that it gave up before', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    await join(ann, bob)
    await changeAddress(service, bob)
    const between = await inviteBy(ann, { email: bob.email, expiresInDays: 30 })
    await ann.api.delete(`/companies/users/${bob.id}`)
    assert.equal(await statusOf(ann, between), 'revoked')
    // It may have been meant for another person.
    const told = await service.db.query(
      `select target_label from audit_records where company_id = $1 and action = 'invitations.revoke'`,
      [ann.company.id],
    )
    assert.deepEqual(told, [{ target_label: bob.email }])
    await freeFormerAddresses(service, bob)
    assertProblem(await registerInvited(service, between.token), 400, 'link_invalid')
  })
})

describe('where addresses have to be verified', () => {
  it('the token verifies the address, and nothing else does', async () => {
    const strict = await startTestApp({ REQUIRE_VERIFIED_EMAIL: 'true' })
    try {
      const ann = await signUp(strict.client)
      const bob = await signUp(strict.client)
      const eve = await signUp(strict.client)
      const [first, second] = [await invite(ann, { email: bob.email }), await invite(ann, { email: eve.email })]
      assert.deepEqual(await own(eve), [])
      assertProblem(await eve.api.post(`/auth/invitations/${second.id}/accept`), 403, 'email_verification_required')
      assert.equal((await accept(bob, await invitationToken(strict, first))).status, 200)
      const { user, tenants } = (await bob.api.get('/auth/me')).body.data
      assert.deepEqual([user.email_verified, tenants.length], [true, 2])
      const inside = bob.api.with({ company: ann.company.id })
      assert.equal((await inside.get('/companies/users')).status, 200)
      await inside.get('/auth/me')
      await opensWhatWaited(strict, ann)
    } finally {
      await strict.close()
    }
  })

  async function opensWhatWaited(strict: TestApp, ann: Person) {
    const carl = await signUp(strict.client)
    const token = await invitationToken(strict, await invite(ann, { email: carl.email }))
    await ann.api.post(`/companies/${ann.company.id}/members`, { userId: carl.id })
    const inside = carl.api.with({ company: ann.company.id })
    assertProblem(await inside.get('/companies/users'), 403, 'not_a_member')
    assert.equal((await accept(carl, token)).status, 200)
    assert.equal((await inside.get('/companies/users')).status, 200)
  }
})
