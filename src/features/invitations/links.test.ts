import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changeAddress, freeFormerAddresses } from '../../../test/support/addresses.ts'
import { useTestApp } from '../../../test/support/app.ts'
import { confirmMailbox, mailboxCodeTo } from '../../../test/support/factors.ts'
import { accept, createInvitationLink, invitationToken, invite, joinByLink } from '../../../test/support/invitations.ts'
import { createRole, join, recoverAccount, rolesOf } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { retryWhileBusy } from '../../../test/support/retries.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()
const PATH = '/companies/invitation-links'

/** With a session that has proved the mailbox. */
const verified = async (email = anyEmail()) => {
  const person = await recoverAccount(service, await signUp(service.client, { email }))
  await confirmMailbox(service, person)
  return person
}
const membersOf = async (by: Person) => (await by.api.get('/companies/users')).body.total
const countOf = async (by: Person, action: string, outcome = 'done') =>
  (
    await service.db.query('select from audit_records where company_id = $1 and action = $2 and outcome = $3', [
      by.company.id,
      action,
      outcome,
    ])
  ).length

describe('an invitation link', () => {
  it('verifies the address of who joins by the code from the mailbox, once', async () => {
    const ann = await signUp(service.client)
    const { token } = await createInvitationLink(ann, { maxUses: 2 })
    const bob = await signUp(service.client)
    assertProblem(await joinByLink(bob, token), 403, 'mailbox_code_required')
    const joinWith = (emailCode: string) => bob.api.post('/auth/invitation-links/join', { token, emailCode })
    assertProblem(await joinWith('00000000'), 401, 'second_factor_wrong')
    assert.equal((await joinWith(await mailboxCodeTo(service, bob.email))).status, 200)
    assert.equal((await bob.api.get('/auth/me')).body.data.user.email_verified, true)
    assert.equal((await service.mailbox.to(bob.email, 'mailbox_code')).length, 1)
  })

  it('is not for an account whose password an administrator has seen, also with a code', async () => {
    const ann = await signUp(service.client)
    const { token } = await createInvitationLink(ann)
    const bob = await signUp(service.client)
    await service.db.query('update accounts set password_shown_at = now() where id = $1', [bob.id])
    assertProblem(await joinByLink(bob, token), 403, 'email_verification_required')
    assert.deepEqual(await service.mailbox.to(bob.email, 'mailbox_code'), [])
    await service.db.query('update sessions set proved_email = $2 where account_id = $1', [bob.id, bob.email])
    assertProblem(await joinByLink(bob, token), 403, 'email_verification_required')
    assert.equal(await membersOf(ann), 1)
  })

  it('says which company it leads to, as long as it leads there', async () => {
    const ann = await signUp(service.client, { companyName: 'Acme Mill' })
    const { token, path } = await createInvitationLink(ann)
    const preview = (of: string) => service.client.post('/auth/invitation-links/preview', { token: of })
    assert.deepEqual((await preview(token)).body.data, { company: { name: 'Acme Mill' } })
    assertProblem(await preview(`${token}A`), 400, 'link_invalid')
    const suspend = 'update companies set suspended_at = $2 where id = $1'
    await service.db.query(suspend, [ann.company.id, new Date()])
    assertProblem(await preview(token), 400, 'link_invalid')
    await service.db.query(suspend, [ann.company.id, null])
    assert.equal((await ann.api.delete(path)).status, 200)
    assertProblem(await preview(token), 400, 'link_invalid')
  })

  it('lets people with a verified address join, and shows its token once', async () => {
    const ann = await signUp(service.client)
    const { Manager } = await rolesOf(ann)
    const { token, path } = await createInvitationLink(ann, { roleIds: [Manager], maxUses: 2 })
    const stranger = await signUp(service.client)
    assertProblem(await joinByLink(stranger, token), 403, 'mailbox_code_required')
    assertProblem(await joinByLink(stranger, `${token}A`), 400, 'link_invalid')
    const bob = await recoverAccount(service, await signUp(service.client))
    assertProblem(await joinByLink(bob, token), 403, 'mailbox_code_required')
    const emailCode = await mailboxCodeTo(service, bob.email)
    const { status, body } = await bob.api.post('/auth/invitation-links/join', { token, emailCode })
    assert.deepEqual([status, body.data.roles, body.data.status], [200, ['Manager'], 'active'])
    assert.deepEqual((await joinByLink(bob, token)).body, body)
    const { created_at, expires_at, ...shown } = (await ann.api.get(path)).body.data
    assert.equal(Math.round((Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000), 7)
    assert.deepEqual(shown, {
      id: path.split('/').at(-1),
      roles: [{ id: Manager, name: 'Manager' }],
      maxUses: 2,
      uses: 1,
      allowedDomains: [],
      status: 'active',
      creator: { id: ann.id, name: ann.name },
    })
    const everything = JSON.stringify([
      (await ann.api.get(PATH)).body,
      (await ann.api.get('/companies/audit')).body,
      service.logged,
      await service.db.query('select * from invitation_links'),
      await service.db.query('select * from audit_records'),
    ])
    assert.equal(everything.includes(token), false)
    assert.deepEqual([await countOf(ann, 'invitation_links.join'), await countOf(ann, 'users.join')], [1, 1])
  })

  it('lets no more people join than it says, however many come at once', async () => {
    const ann = await signUp(service.client)
    const { token, path } = await createInvitationLink(ann, { maxUses: 3 })
    const people = await Promise.all(Array.from({ length: 50 }, () => signUp(service.client)))
    for (const person of people) await confirmMailbox(service, person)
    const answers = await Promise.all(people.map((person) => retryWhileBusy(() => joinByLink(person, token))))
    assert.equal(answers.filter(({ status }) => status === 200).length, 3)
    for (const { status, body } of answers) assert.ok(status === 200 || body.code === 'link_invalid', body.code)
    assert.equal(await membersOf(ann), 4)
    assert.equal(await countOf(ann, 'invitation_links.join'), 3)
    assert.equal((await ann.api.get(path)).body.data.status, 'used_up')
  })

  it('is used once by a person who joins twenty times at once', async () => {
    const ann = await signUp(service.client)
    const { token, path } = await createInvitationLink(ann, { maxUses: 5 })
    const bob = await verified()
    const answers = await Promise.all(Array.from({ length: 20 }, () => joinByLink(bob, token)))
    for (const { status, body } of answers) assert.deepEqual([status, body], [200, answers[0]?.body])
    assert.equal((await ann.api.get(path)).body.data.uses, 1)
    assert.deepEqual([await membersOf(ann), await countOf(ann, 'users.join')], [2, 1])
  })

  it('works with its own token alone: altered in no place, and not with that of an invitation', async () => {
    const ann = await signUp(service.client)
    const { token } = await createInvitationLink(ann)
    const bob = await verified()
    const { email } = await invite(ann, { email: bob.email })
    const invitation = await invitationToken(service, { email })
    const altered = [...token].map(
      (sign, place) => token.slice(0, place) + (sign === 'A' ? 'B' : 'A') + token.slice(place + 1),
    )
    for (const wrong of [...altered, `${token}A`, token.slice(0, -1), invitation])
      assertProblem(await joinByLink(bob, wrong), 400, 'link_invalid')
    assert.equal((await joinByLink(bob, token)).status, 200)
  })

  it('is bound by what its creator can give at that moment, and ends when that is less', async () => {
    const ann = await signUp(service.client)
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    const manager = await join(ann, await signUp(service.client), ['Manager'])
    const { Owner, Admin, Member } = await rolesOf(ann)
    assertProblem(await manager.api.post(PATH, { roleIds: [Admin] }), 403, 'grant_exceeds_permissions')
    assertProblem(await admin.api.post(PATH, { roleIds: [Owner] }), 403, 'grant_exceeds_permissions')
    const { token, path } = await createInvitationLink(admin, { roleIds: [Admin] })
    assertProblem(await manager.api.delete(path), 403, 'target_exceeds_permissions')
    await ann.api.patch(`/companies/users/${admin.id}`, { roleIds: [Member] })
    const bob = await verified()
    assertProblem(await joinByLink(bob, token), 422, 'invitation_no_longer_valid')
    assertProblem(await joinByLink(bob, token), 400, 'link_invalid')
    assert.equal((await ann.api.get(path)).body.data.status, 'revoked')
    assert.equal(await countOf(ann, 'invitation_links.join', 'invitation_no_longer_valid'), 1)
  })

  it('is for the domains that it names', async () => {
    const ann = await signUp(service.client)
    const bob = await verified()
    const other = await createInvitationLink(ann, { allowedDomains: ['Other.Example'] })
    assertProblem(await joinByLink(bob, other.token), 403, 'domain_not_allowed')
    const own = await createInvitationLink(ann, { allowedDomains: ['other.example', 'EXAMPLE.com'] })
    assert.deepEqual((await ann.api.get(own.path)).body.data.allowedDomains, ['example.com', 'other.example'])
    assert.equal((await joinByLink(bob, own.token)).status, 200)
    assertProblem(await ann.api.post(PATH, { allowedDomains: ['@x'] }), 400, 'validation_failed')
  })

  it('takes an address whose mailbox may be at another domain for one at none', async () => {
    const ann = await signUp(service.client)
    const eve = await verified(`eve%evil.example-${newId()}@corp.example`)
    const named = await createInvitationLink(ann, { allowedDomains: ['corp.example'] })
    assertProblem(await joinByLink(eve, named.token), 403, 'domain_not_allowed')
    assert.equal((await joinByLink(eve, (await createInvitationLink(ann)).token)).status, 200)
  })

  it('names domains as addresses have them: no character is folded into a character of another one', async () => {
    const ann = await signUp(service.client)
    for (const domain of ['\u212Aelvin.example', 'bücher.example', 'example', 'a..example'])
      assertProblem(await ann.api.post(PATH, { allowedDomains: [domain] }), 400, 'validation_failed')
    const { path } = await createInvitationLink(ann, { allowedDomains: [' Kelvin.Example '] })
    assert.deepEqual((await ann.api.get(path)).body.data.allowedDomains, ['kelvin.example'])
  })

  it('brings back no one who was a member when it was created', async () => {
    const ann = await signUp(service.client)
    const bob = await verified()
    const { token } = await createInvitationLink(ann, { maxUses: 5 })
    assert.equal((await joinByLink(bob, token)).status, 200)
    await ann.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' })
    assert.equal((await bob.api.post(`/companies/${ann.company.id}/leave`)).status, 200)
    assertProblem(await joinByLink(bob, token), 422, 'invitation_no_longer_valid')
    assert.equal((await joinByLink(await verified(), token)).status, 200)
    assert.equal((await joinByLink(bob, (await createInvitationLink(ann)).token)).status, 200)
  })

  for (const how of ['removed', 'deactivated'])
    it(`brings no one back as another account with the address who was ${how} since, before or after giving it up`, async () => {
      const ann = await signUp(service.client)
      const [bob, carl] = [await verified(), await verified()]
      for (const person of [bob, carl]) await join(ann, person)
      await changeAddress(service, bob)
      const { token } = await createInvitationLink(ann, { maxUses: 5 })
      for (const { id } of [bob, carl])
        if (how === 'removed') await ann.api.delete(`/companies/users/${id}`)
        else await ann.api.patch(`/companies/users/${id}`, { status: 'inactive' })
      await changeAddress(service, carl)

      for (const person of [bob, carl]) {
        await freeFormerAddresses(service, person)
        const again = await verified(person.email)
        assertProblem(await joinByLink(again, token), 422, 'invitation_no_longer_valid')
        const invited = await invite(ann, { email: person.email })
        assert.equal((await accept(again, await invitationToken(service, invited))).status, 200)
      }
      assert.equal((await joinByLink(await verified(), token)).status, 200)
    })

  it('ends when it is revoked or has expired, and is unknown to other companies', async () => {
    const ann = await signUp(service.client)
    const eve = await verified()
    const [revoked, expired] = [await createInvitationLink(ann), await createInvitationLink(ann)]
    for (const attempt of [eve.api.get(revoked.path), eve.api.delete(revoked.path), eve.api.get(`${PATH}/${newId()}`)])
      assertProblem(await attempt, 404, 'invitation_link_not_found')
    assert.deepEqual((await ann.api.delete(revoked.path)).body.data, { id: revoked.id })
    assertProblem(await ann.api.delete(revoked.path), 422, 'invitation_not_pending')
    await service.db.query('update invitation_links set expires_at = now() where id = $1', [expired.id])
    for (const { token } of [revoked, expired, { token: 'x' }])
      assertProblem(await joinByLink(eve, token), 400, 'link_invalid')
  })

  it('keeps a role from being deleted, and gets the one that replaces it', async () => {
    const ann = await signUp(service.client)
    const { Manager } = await rolesOf(ann)
    const role = await createRole(ann, 'Seller')
    const { token, path } = await createInvitationLink(ann, { roleIds: [role.id] })
    assertProblem(await ann.api.delete(role.path), 409, 'role_in_use')
    assert.equal((await ann.api.delete(`${role.path}?reassignTo=${Manager}`)).status, 200)
    assert.deepEqual((await ann.api.get(path)).body.data.roles, [{ id: Manager, name: 'Manager' }])
    assert.deepEqual((await joinByLink(await verified(), token)).body.data.roles, ['Manager'])
  })

  it('is for one person, the role Member and seven days, unless it says otherwise within bounds', async () => {
    const ann = await signUp(service.client)
    const { token, path } = await createInvitationLink(ann)
    const { maxUses, roles, expires_at, created_at } = (await ann.api.get(path)).body.data
    assert.deepEqual([maxUses, roles.map(({ name }: { name: string }) => name)], [1, ['Member']])
    assert.equal(Math.round((Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000), 7)
    assert.equal((await joinByLink(await verified(), token)).status, 200)
    assertProblem(await joinByLink(await verified(), token), 400, 'link_invalid')

    for (const wrong of [
      ...[0, -1, 501, 1.5, '1', null].map((each) => ({ maxUses: each })),
      ...[0, 31, 1.5].map((each) => ({ expiresInDays: each })),
      { roleIds: ['x'] },
    ])
      assertProblem(await ann.api.post(PATH, wrong), 400, 'validation_failed')
    assertProblem(await ann.api.post(PATH, { roleIds: [newId()] }), 422, 'role_unknown')
    for (const [maxUses, expiresInDays] of [
      [1, 1],
      [500, 30],
    ] as const) {
      const { body } = await ann.api.post(PATH, { maxUses, expiresInDays })
      const days = (Date.parse(body.data.expires_at) - Date.parse(body.data.created_at)) / 86_400_000
      assert.deepEqual([body.data.maxUses, Math.round(days)], [maxUses, expiresInDays])
    }
  })

  it('is one of fifty at most', async () => {
    const ann = await signUp(service.client)
    await service.db.query(
      `insert into invitation_links (company_id, id, token_hash, max_uses, expires_at)
       select $1, gen_random_uuid(), sha256(n::text::bytea), 1, now() + interval '1 day' from generate_series(1, 50) n`,
      [ann.company.id],
    )
    assertProblem(await ann.api.post(PATH, {}), 422, 'invitation_limit_reached')
  })
})
