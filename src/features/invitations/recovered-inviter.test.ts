import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import type { Answer } from '../../../test/support/client.ts'
import { addDomain } from '../../../test/support/domains.ts'
import { addApp, confirmMailbox, signUpVerified } from '../../../test/support/factors.ts'
import { createInvitationLink, joinByLink } from '../../../test/support/invitations.ts'
import {
  addMember,
  createRole,
  join,
  recoverAccount,
  rolesOf,
  signInWithEmailedPassword,
} from '../../../test/support/members.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { removePasswords } from '../auth/operated-accounts.ts'

const service = await useTestApp()
const { client, db, mailbox } = service

/** How an owner, or an operator for the owner, takes an account back, and the kind of the email with the link that follows. */
const recoveries: Record<
  string,
  (
    ann: Person,
  ) => Promise<'email_restored' | 'factor_change_undone' | 'password_changed' | 'password_removed' | 'reset_password'>
> = {
  'a change of address is undone': async ({ email, api }) => {
    const other = anyEmail()
    await api.put('/auth/profile', { email: other })
    await client.post('/auth/verify-email', { token: await mailbox.token(other, 'change_email') })
    const token = await mailbox.token(email, 'email_changed')
    assert.equal((await client.post('/auth/undo-email-change', { token })).status, 200)
    return 'email_restored'
  },
  'a change of factors is undone': async (ann) => {
    await addApp(service, ann)
    const token = await mailbox.token(ann.email, 'second_factor_added')
    assert.equal((await client.post('/auth/undo-factor-change', { token })).status, 200)
    return 'factor_change_undone'
  },
  'a new password is chosen because the account was compromised': async ({ email }) => {
    await client.post('/auth/forgot-password', { email })
    const token = await mailbox.token(email, 'reset_password')
    const reset = { token, newPassword: `New-${PASSWORD}`, compromised: true }
    assert.equal((await client.post('/auth/reset-password', reset)).status, 200)
    return 'reset_password'
  },
  'the password is changed because the account was compromised': async ({ api, refreshToken }) => {
    const change = { currentPassword: PASSWORD, newPassword: `New-${PASSWORD}`, compromised: true }
    const changed = await api.post('/auth/change-password', change)
    assert.deepEqual([changed.status, changed.body.data], [200, { signedOut: true }])
    // The intruder may have a copy of this session.
    assertProblem(await api.get('/auth/me'), 401, 'token_invalid')
    assertProblem(await client.post('/auth/refresh', { refreshToken }), 401, 'refresh_token_invalid')
    return 'password_changed'
  },
  'an operator removes the passwords': async ({ id }) => {
    await removePasswords(service, OPERATOR, id, undefined)
    return 'password_removed'
  },
}

/** What an intruder leaves behind in a company for accomplices. */
async function leaveBehind(ann: Person) {
  const [api, roles, email] = [ann.api, await rolesOf(ann), anyEmail()]
  const accomplice = await join(ann, await signUp(client))
  const invited = await api.post('/companies/invitations', { email, roleIds: [roles.Owner] })
  const link = await api.post('/companies/invitation-links', { roleIds: [roles.Owner] })
  const offer = await api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: accomplice.id })
  assert.deepEqual([invited.status, link.status, offer.status], [201, 201, 201])
  return { accomplice, email, path: `/companies/invitations/${invited.body.data.id}`, link: link.body.data.token }
}

const register = async (email: string) =>
  client.post('/auth/invitations/register', {
    token: await mailbox.token(email, 'invitation'),
    name: 'Bob',
    password: PASSWORD,
  })

describe('what an intruder has given in the name of an account', () => {
  for (const [what, recover] of Object.entries(recoveries)) {
    it(`is worth nothing once ${what}`, async () => {
      const ann = await signUp(client)
      const { accomplice, email, link } = await leaveBehind(ann)
      const stranger = await signUpVerified(service)
      await recover(ann)

      assertProblem(await register(email), 422, 'invitation_no_longer_valid')
      const joining = await stranger.api.post('/auth/invitation-links/join', { token: link })
      assertProblem(joining, 422, 'invitation_no_longer_valid')
      const path = `/companies/${ann.company.id}/ownership-transfer`
      const accepting = await accomplice.api.post(`${path}/accept`, { currentPassword: PASSWORD })
      assertProblem(accepting, 422, 'transfer_expired')
      const owners = await db.query(
        `select account_id from membership_roles join roles on roles.id = role_id
         where roles.company_id = $1 and system_key = 'owner'`,
        [ann.company.id],
      )
      assert.deepEqual(owners, [{ account_id: ann.id }])
    })
  }

  it('is worth nothing either where its request was under way', async () => {
    const ann = await signUp(client)
    const { link } = await leaveBehind(ann)
    const stranger = await signUpVerified(service)
    await (recoveries['an operator removes the passwords'] as (ann: Person) => Promise<string>)(ann)
    await db.query('update invitation_links set vouched_at = clock_timestamp() where creator_id = $1', [ann.id])
    const joining = await stranger.api.post('/auth/invitation-links/join', { token: link })
    assertProblem(joining, 422, 'invitation_no_longer_valid')
  })

  it('counts again when the owner stands by it: edited, sent or made anew', async () => {
    const ann = await signUp(client)
    const { accomplice, path, email } = await leaveBehind(ann)
    const kind = await (recoveries['a change of address is undone'] as (ann: Person) => Promise<'email_restored'>)(ann)
    const token = await mailbox.token(ann.email, kind)
    await client.post('/auth/reset-password', { token, newPassword: PASSWORD })
    const owner = await signIn(client, ann.email)
    await db.query(`update accounts set recovered_at = recovered_at - interval '10 seconds' where id = $1`, [ann.id])

    assert.equal((await owner.api.patch(path, { name: 'Bob' })).status, 200)
    assert.equal((await register(email)).status, 201)
    const offering = owner.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: accomplice.id })
    assert.equal((await offering).status, 201)
    const accepting = accomplice.api.post(`/companies/${ann.company.id}/ownership-transfer/accept`, {
      currentPassword: PASSWORD,
    })
    assert.equal((await accepting).status, 200)
  })
})

/** How the owner of an address comes into an account that a stranger has signed up with it. */
const takeovers: Record<string, (squatter: Person, administrator: Person) => Promise<Person>> = {
  'resets the password': (squatter) => recoverAccount(service, squatter),
  'signs in with a temporary password that a company emails': async ({ id, email }, { api }) => {
    assert.equal((await api.post(`/companies/users/${id}/reset-password-email`)).status, 200)
    return signInWithEmailedPassword(service, email)
  },
}

for (const [how, takeOver] of Object.entries(takeovers))
  it(`what a stranger vouched for who had signed up with the address gives nothing once its owner ${how}`, async () => {
    const [ann, squatter] = [await signUp(client), await signUp(client)]
    const asVic = await join(ann, squatter, ['Admin'])
    const { Admin } = await rolesOf(ann)
    const { token } = await createInvitationLink(asVic, { roleIds: [Admin as string] })
    const zoe = await addMember(ann)
    const { temporaryPassword } = (await asVic.api.post(`/companies/users/${zoe.id}/reset-password`)).body.data
    const owner = await takeOver(squatter, ann)
    // As if it had been written after the takeover by a request that was let in before.
    await db.query('update invitation_links set created_at = clock_timestamp() where creator_id = $1', [squatter.id])
    const stranger = await signUpVerified(service)
    assertProblem(await joinByLink(stranger, token), 422, 'invitation_no_longer_valid')
    const login = { email: zoe.email, password: temporaryPassword }
    assertProblem(await client.post('/auth/login', login), 401, 'credentials_wrong')

    const own = { ...owner, company: ann.company, api: owner.api.with({ company: ann.company.id }) }
    const again = await createInvitationLink(own)
    assert.equal((await joinByLink(stranger, again.token)).status, 200)
  })

it('an offer of ownership by a stranger who had signed up with the address keeps no reset away after the owner’s', async () => {
  const [ann, squatter] = [await signUp(client), await signUp(client)]
  const asVic = await join(ann, squatter, ['Owner'])
  const admin = await join(ann, await signUp(client), ['Admin'])
  const zoe = await addMember(ann)
  const offer = { userId: zoe.id }
  assert.equal((await asVic.api.post(`/companies/${ann.company.id}/ownership-transfer`, offer)).status, 201)
  const reset = () => admin.api.post(`/companies/users/${zoe.id}/reset-password`)
  assertProblem(await reset(), 403, 'account_not_managed')
  await recoverAccount(service, squatter)
  assert.equal((await reset()).status, 200)
})

/** What an intruder asks for while the reset of the owner is under way. */
const vouches: Record<
  string,
  (ann: Person, ids: Record<'invitation' | 'member' | 'accomplice' | 'role' | 'domain', string>) => Promise<Answer>
> = {
  'an invitation': ({ api }, { role }) => api.post('/companies/invitations', { email: anyEmail(), roleIds: [role] }),
  'an edited invitation': ({ api }, { invitation }) => api.patch(invitation, { name: 'Bob' }),
  'a resent invitation': ({ api }, { invitation }) => api.post(`${invitation}/resend`),
  'a link': ({ api }, { role }) => api.post('/companies/invitation-links', { roleIds: [role] }),
  'a shown password': ({ api }, { member }) => api.post(`/companies/users/${member}/reset-password`),
  'how people join by a domain': ({ api }, { domain }) =>
    api.patch(`/companies/domains/${domain}`, { joinPolicy: 'auto' }),
  'an offer of ownership': async ({ api, company }, { accomplice }) => {
    const path = `/companies/${company.id}/ownership-transfer`
    // One that was made before.
    await api.delete(path)
    return api.post(path, { userId: accomplice })
  },
}

/** Rows that the reset needs after it has ended the sessions, and for those of the second table when it commits. */
const awaited = [
  'select from password_attempts where email = $1 for update',
  'select from ownership_offers where from_id = (select id from accounts where email = $1) for update',
]

for (const [what, vouch] of Object.entries(vouches))
  it(`${what} is refused while the owner’s reset ends the session`, async () => {
    for (const rows of awaited) {
      const ann = await signUp(client)
      const { Owner } = await rolesOf(ann)
      const { path, accomplice } = await leaveBehind(ann)
      await client.post('/auth/login', { email: ann.email, password: 'Wrong-horse-7' })
      const { id } = await addMember(ann)
      const domain = await addDomain(ann)
      await db.query(
        `update company_domains set status = 'verified', verified_at = now(), check_at = now() where id = $1`,
        [domain.id],
      )
      await client.post('/auth/forgot-password', { email: ann.email })
      const token = await mailbox.token(ann.email, 'reset_password')
      await db.query('begin')
      await db.query(rows, [ann.email])
      const reset = { token, newPassword: `New-${PASSWORD}`, compromised: true }
      const resetting = client.post('/auth/reset-password', reset)
      await db.waitForLock()
      const ids = { invitation: path, member: id, accomplice: accomplice.id, role: Owner as string, domain: domain.id }
      const vouching = vouch(ann, ids)
      await db.waitForLock(2)
      await db.query('commit')
      assert.equal((await resetting).status, 200)
      assertProblem(await vouching, 401, 'token_invalid')
    }
  })

it('a role that gives way to one that gives more is Member in what others vouch for, and void ones stay void', async () => {
  const ann = await signUp(client)
  const carl = await join(ann, await signUp(client), ['Owner'])
  const eve = await join(ann, await signUp(client), ['Admin'])
  const roles = await rolesOf(ann)
  const [clerk, intern] = [await createRole(ann, 'Clerk', ['users:read']), await createRole(ann, 'Intern')]
  const linkOf = (person: Person, roleIds: string[]) => createInvitationLink(person, { roleIds, maxUses: 5 })
  const ofClerks = [await linkOf(ann, [clerk.id]), await linkOf(carl, [clerk.id])]
  const ofInterns = [
    await linkOf(eve, [intern.id, roles.Admin as string]),
    await linkOf(carl, [intern.id, roles.Owner as string]),
  ]
  const invited = await carl.api.post('/companies/invitations', { email: anyEmail(), roleIds: [clerk.id] })
  const shown = async (path: string) => {
    const { inviter, roles } = (await carl.api.get(path)).body.data
    return [inviter.id, roles.map(({ name }: { name: string }) => name)]
  }
  assert.equal((await ann.api.delete(`${clerk.path}?reassignTo=${roles.Owner}`)).status, 200)
  assert.deepEqual(await shown(`/companies/invitations/${invited.body.data.id}`), [carl.id, ['Member']])
  const joined = async (token: string) => (await joinByLink(await signUpVerified(service), token)).body.data.roles
  for (const [index, role] of ['Owner', 'Member'].entries())
    assert.deepEqual(await joined(ofClerks[index]?.token as string), [role])

  assert.equal((await ann.api.delete(`/companies/users/${eve.id}`)).status, 200)
  assert.equal((await ann.api.delete(`${intern.path}?reassignTo=${roles.Manager}`)).status, 200)
  const late = await signUpVerified(service)
  assertProblem(await joinByLink(late, ofInterns[0]?.token as string), 422, 'invitation_no_longer_valid')
  assert.deepEqual(await joined(ofInterns[1]?.token as string), ['Member', 'Owner'])
})

it('who forgets the password of an account that others have added nowhere goes on vouching for what was sent', async () => {
  const ann = await signUp(client)
  const { token } = await createInvitationLink(ann)
  await recoverAccount(service, ann)
  assert.equal((await joinByLink(await signUpVerified(service), token)).status, 200)
})

it('an invitation counts again when its inviter saves it as it is', async () => {
  const ann = await signUp(client)
  const { path, email } = await leaveBehind(ann)
  await (
    recoveries['a new password is chosen because the account was compromised'] as (ann: Person) => Promise<unknown>
  )(ann)
  const owner = await signIn(client, ann.email, `New-${PASSWORD}`)
  assert.equal((await owner.api.patch(path, {})).status, 200)
  const [{ updated_at } = { updated_at: '' }] = await db.query('select updated_at from invitations where email = $1', [
    email,
  ])
  assert.equal((await owner.api.patch(path, {})).status, 200)
  assert.deepEqual(await db.query('select updated_at from invitations where email = $1', [email]), [{ updated_at }])
  assert.equal((await register(email)).status, 201)
})

it('who resets the password of a compromised account vouches again at once', async () => {
  const ann = await signUp(client)
  await client.post('/auth/forgot-password', { email: ann.email })
  const token = await mailbox.token(ann.email, 'reset_password')
  const reset = { token, newPassword: `New-${PASSWORD}`, compromised: true }
  assert.equal((await client.post('/auth/reset-password', reset)).status, 200)
  const { api } = await signIn(client, ann.email, reset.newPassword)
  const link = await createInvitationLink({ ...ann, api: api.with({ company: ann.company.id }) })
  assert.equal((await joinByLink(await signUpVerified(service), link.token)).status, 200)
})

it('an owner whom others have added elsewhere goes on vouching in a company of their own after a reset', async () => {
  const [ann, bob] = [await signUp(client), await signUp(client)]
  const { token } = await createInvitationLink(ann)
  const zoe = await addMember(ann)
  const { temporaryPassword } = (await ann.api.post(`/companies/users/${zoe.id}/reset-password`)).body.data
  await join(bob, ann, ['Admin'])
  await recoverAccount(service, ann)
  assert.equal((await joinByLink(await signUpVerified(service), token)).status, 200)
  const login = { email: zoe.email, password: temporaryPassword }
  assert.equal((await client.post('/auth/login', login)).status, 200)
})

it('a change of address that an intruder has asked for does not wait on after a change of factors is undone', async () => {
  const ann = await signUpVerified(service)
  await addApp(service, ann)
  await confirmMailbox(service, ann)
  assert.equal((await ann.api.put('/auth/profile', { email: anyEmail() })).status, 200)
  await addApp(service, ann)
  const token = await mailbox.token(ann.email, 'second_factor_added')
  assert.equal((await client.post('/auth/undo-factor-change', { token })).status, 200)
  const [account] = await db.query('select pending_email from accounts where id = $1', [ann.id])
  assert.deepEqual(account, { pending_email: null })
})
