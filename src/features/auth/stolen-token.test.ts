import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { plantDomain } from '../../../test/support/domains.ts'
import { type App, addApp, ageProofs, confirmSignIn } from '../../../test/support/factors.ts'
import { addMember, createRole, join, joinWith, rolesOf } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

// What a stolen access token of an account with a second factor can't do, although the thief knows the password as well.

const service = await useTestApp()
const { client, db } = service

interface Scene {
  ann: Person
  app: App
  factorId: string
  secondOwner: Person
  member: Person
  roles: Record<string, string>
}

async function createScene(): Promise<Scene> {
  const ann = await signUp(client)
  const secondOwner = await join(ann, await signUp(client), ['Owner'])
  const member = await join(ann, await signUp(client))
  const roles = await rolesOf(ann)
  const app = await addApp(service, ann)
  await ageProofs(service, ann)
  return { ann, app, factorId: app.factorId, secondOwner, member, roles }
}

const owner = ({ roles }: Scene) => [roles.Owner]
const change = { currentPassword: PASSWORD, newPassword: 'Another-horse-8' }

/** As an administrator in another company. */
async function changeOwnMembership({ ann }: Scene, wanted: (roles: Record<string, string>) => object) {
  const other = await signUp(client)
  const { api } = await join(other, ann, ['Admin'])
  return api.patch(`/companies/users/${ann.id}`, wanted(await rolesOf(other)))
}

async function pathOfInvitedOwner({ secondOwner, roles }: Scene): Promise<string> {
  const wanted = { email: anyEmail(), roleIds: [roles.Owner] }
  const { body } = await secondOwner.api.post('/companies/invitations', wanted)
  return `/companies/invitations/${body.data.id}`
}

/** Each with the rows that it must not change. */
const thefts: Record<string, (scene: Scene) => Promise<{ status: number; body: Record<string, unknown> }>> = {
  'change the password': ({ ann }) => ann.api.post('/auth/change-password', change),
  'change a temporary password': ({ ann }) => ann.api.post('/auth/change-temporary-password', change),
  'change the address': ({ ann }) => ann.api.put('/auth/profile', { email: anyEmail() }),
  'have the link to a new address sent again': async ({ ann }) => {
    await db.query(`update accounts set pending_email = 'thief@example.com' where id = $1`, [ann.id])
    return ann.api.post('/auth/profile/email/resend')
  },
  'add a factor': ({ ann }) => ann.api.post('/auth/factors/totp', {}),
  'remove a factor': ({ ann, factorId }) => ann.api.delete(`/auth/factors/${factorId}`),
  'read recovery codes': ({ ann }) => ann.api.post('/auth/factors/recovery-codes'),
  'delete the company': ({ ann }) => ann.api.delete(`/companies/${ann.company.id}`),
  'rename a factor': ({ ann, factorId }) => ann.api.patch(`/auth/factors/${factorId}`, { name: 'Unknown device' }),
  'restore the company': async ({ ann }) => {
    await db.query('update companies set deleted_at = now() where id = $1', [ann.company.id])
    const answer = await ann.api.post(`/companies/${ann.company.id}/restore`)
    await db.query('update companies set deleted_at = null where id = $1', [ann.company.id])
    return answer
  },
  'deactivate the account elsewhere': (scene) => changeOwnMembership(scene, () => ({ status: 'inactive' })),
  'take roles from the account elsewhere': (scene) =>
    changeOwnMembership(scene, ({ Member }) => ({ roleIds: [Member] })),
  'leave the company': ({ ann }) => ann.api.post(`/companies/${ann.company.id}/leave`),
  'offer the ownership': ({ ann, member }) =>
    ann.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: member.id }),
  'make a member an owner': (scene) =>
    scene.ann.api.patch(`/companies/users/${scene.member.id}`, { roleIds: owner(scene) }),
  'demote an owner': ({ ann, secondOwner, roles }) =>
    ann.api.patch(`/companies/users/${secondOwner.id}`, { roleIds: [roles.Member] }),
  'deactivate an owner': ({ ann, secondOwner }) =>
    ann.api.patch(`/companies/users/${secondOwner.id}`, { status: 'inactive' }),
  'remove an owner': ({ ann, secondOwner }) => ann.api.delete(`/companies/users/${secondOwner.id}`),
  'remove an owner by the other path': ({ ann, secondOwner }) =>
    ann.api.delete(`/companies/${ann.company.id}/members/${secondOwner.id}`),
  'add an owner': (scene) =>
    scene.ann.api.post('/companies/users', { name: 'Thief', email: anyEmail(), roleIds: owner(scene) }),
  'link an owner': async ({ ann }) => {
    const thief = await signUp(client)
    return ann.api.post(`/companies/${ann.company.id}/members`, { userId: thief.id, roleNames: ['owner'] })
  },
  'invite an owner': (scene) =>
    scene.ann.api.post('/companies/invitations', { email: anyEmail(), roleIds: owner(scene) }),
  'invite a person, and then as an owner': async (scene) => {
    const { body } = await scene.ann.api.post('/companies/invitations', { email: anyEmail() })
    return scene.ann.api.patch(`/companies/invitations/${body.data.id}`, { roleIds: owner(scene) })
  },
  'vouch for an owner whom another one has invited': async (scene) =>
    scene.ann.api.patch(await pathOfInvitedOwner(scene), { name: 'Thief' }),
  'vouch for an owner by inviting again': async (scene) =>
    scene.ann.api.post(`${await pathOfInvitedOwner(scene)}/resend`),
  'hand out a link that makes owners': (scene) =>
    scene.ann.api.post('/companies/invitation-links', { roleIds: owner(scene) }),
  'let in as an owner who asks to join': async (scene) => {
    const thief = await signUp(client)
    await plantDomain(service, scene.ann, thief)
    const [request] = await db.query('select id from join_requests where company_id = $1', [scene.ann.company.id])
    return scene.ann.api.post(`/companies/join-requests/${request?.id}/approve`, { roleIds: owner(scene) })
  },
  'read a new password of a member': async ({ ann }) => {
    const { id } = await addMember(ann)
    return ann.api.post(`/companies/users/${id}/reset-password`)
  },
  'replace the password of a member': async ({ ann }) => {
    const { id } = await addMember(ann)
    return ann.api.post(`/companies/users/${id}/reset-password-email`)
  },
  'remove the second factors of a member': ({ ann, member }) =>
    ann.api.post(`/companies/users/${member.id}/reset-second-factor`),
  'add a passkey': ({ ann }) => ann.api.post('/auth/factors/passkeys/options', {}),
  'change the policy': ({ ann }) => ann.api.patch('/companies/policy', { members: { domains: ['thief.example.com'] } }),
  'add a domain': ({ ann }) => ann.api.post('/companies/domains', { name: 'thief.example.com' }),
  'make a member an administrator': ({ ann, member, roles }) =>
    ann.api.patch(`/companies/users/${member.id}`, { roleIds: [roles.Admin] }),
  'make a member active again who is an administrator': async ({ ann, member, secondOwner, roles }) => {
    const path = `/companies/users/${member.id}`
    assert.equal((await secondOwner.api.patch(path, { roleIds: [roles.Admin], status: 'inactive' })).status, 200)
    return ann.api.patch(path, { status: 'active' })
  },
  'add an administrator': ({ ann, roles }) =>
    ann.api.post('/companies/users', { name: 'Thief', email: anyEmail(), roleIds: [roles.Admin] }),
  'invite an administrator': ({ ann, roles }) =>
    ann.api.post('/companies/invitations', { email: anyEmail(), roleIds: [roles.Admin] }),
  'invite a person who may delete the company': async ({ ann }) => {
    const { id } = await createRole(ann, newId(), ['companies:delete'])
    return ann.api.post('/companies/invitations', { email: anyEmail(), roleIds: [id] })
  },
  'hand out a link that makes administrators': ({ ann, roles }) =>
    ann.api.post('/companies/invitation-links', { roleIds: [roles.Admin] }),
  'invite a person who may let others in, and remove members': async ({ ann }) => {
    const { id } = await createRole(ann, newId(), ['users:create', 'users:delete'])
    return ann.api.post('/companies/invitations', { email: anyEmail(), roleIds: [id] })
  },
  'add a person who reads the audit log': async ({ ann }) => {
    const { id } = await createRole(ann, newId(), ['audit:read'])
    return ann.api.post('/companies/users', { name: 'Thief', email: anyEmail(), roleIds: [id] })
  },
  'have the audit log forgotten': ({ ann }) => ann.api.patch('/companies/audit/settings', { retentionDays: 30 }),
  'give more to all with a role': async ({ ann }) => {
    const { path } = await createRole(ann, newId())
    return ann.api.patch(path, { permissions: ['users:read', 'users:update'] })
  },
  'make administrators of all with a role': async ({ ann, roles }) => {
    const { path } = await createRole(ann, newId())
    return ann.api.delete(`${path}?reassignTo=${roles.Admin}`)
  },
  'make owners of all with a role': async (scene) => {
    const { id } = await createRole(scene.ann, `Helper ${newId()}`)
    await db.query('insert into membership_roles (company_id, account_id, role_id) values ($1, $2, $3)', [
      scene.ann.company.id,
      scene.member.id,
      id,
    ])
    return scene.ann.api.delete(`/companies/roles/${id}?reassignTo=${scene.roles.Owner}`)
  },
}

/** What this account could not do in any session: its password is none, and the member is not managed. */
const REFUSED_OTHERWISE: Record<string, string> = {
  'change a temporary password': 'no_temporary_password',
  'remove the second factors of a member': 'account_not_managed',
}

const rowsOf = async ({ ann, member, secondOwner }: Scene) => ({
  accounts: await db.query(
    'select email, pending_email, credentials_version, has_second_factor from accounts where id = $1',
    [ann.id],
  ),
  factors: await db.query('select id, name, confirmed_at from second_factors where account_id = $1', [ann.id]),
  codes: await db.query('select hash from recovery_codes where account_id = $1 order by hash', [ann.id]),
  companies: await db.query('select deleted_at from companies where id = $1', [ann.company.id]),
  retention: await db.query('select retention_days from audit_settings where company_id = $1', [ann.company.id]),
  offers: await db.query('select id from ownership_offers where company_id = $1', [ann.company.id]),
  owners: await db.query(
    `select account_id, status from memberships join membership_roles using (company_id, account_id)
     join roles on roles.id = role_id where roles.company_id = $1 and system_key = 'owner' order by account_id`,
    [ann.company.id],
  ),
  passwords: await db.query('select hash from passwords where account_id = any($1)', [
    [ann.id, member.id, secondOwner.id],
  ]),
})

describe('a stolen token of an account with a second factor', () => {
  for (const [what, steal] of Object.entries(thefts)) {
    it(`can’t ${what}`, async () => {
      const scene = await createScene()
      if (what.includes('sent again'))
        await db.query(`update accounts set pending_email = 'thief@example.com' where id = $1`, [scene.ann.id])
      const before = await rowsOf(scene)
      const refused = await steal(scene)
      assertProblem(refused, 403, 'reauthentication_required')
      assert.deepEqual(refused.body.methods, ['totp', 'recovery_code'])
      assert.deepEqual(await rowsOf(scene), before)
    })
  }

  for (const [what, act] of Object.entries(thefts)) {
    it(`can after a step-up, in that session alone: ${what}`, async () => {
      const scene = await createScene()
      const { ann, app } = scene
      const { accessToken } = (await confirmSignIn(client, ann, { code: await app.unusedCode() })).body.data
      const api = ann.api.with({ token: accessToken })
      const sessions = await db.query<{ id: string }>('select id from sessions where account_id = $1', [ann.id])
      for (const { id } of sessions) await ageProofs(service, { sessionId: id })
      assert.equal((await ann.api.post('/auth/step-up', { code: await app.unusedCode() })).status, 200)
      assertProblem(await act({ ...scene, ann: { ...ann, api } }), 403, 'reauthentication_required')

      // Only what follows the proof may refuse it now.
      const { status, body } = await act(scene)
      if (what in REFUSED_OTHERWISE) assert.equal(body.code, REFUSED_OTHERWISE[what])
      else assert.ok(status < 300, JSON.stringify(body))
    })
  }

  it('can’t accept an ownership', async () => {
    const owner = await signUp(client)
    const ann = await join(owner, await signUp(client))
    await addApp(service, ann)
    await ageProofs(service, ann)
    await owner.api.post(`/companies/${owner.company.id}/ownership-transfer`, { userId: ann.id })
    const accept = ann.api.post(`/companies/${owner.company.id}/ownership-transfer/accept`, {
      currentPassword: PASSWORD,
    })
    assertProblem(await accept, 403, 'reauthentication_required')
  })

  it('can do what does not last', async () => {
    const { ann, member } = await createScene()
    assert.equal((await ann.api.put('/auth/profile', { name: 'Ann', email: ann.email })).status, 200)
    assert.equal((await ann.api.patch(`/companies/users/${member.id}`, { position: 'Clerk' })).status, 200)
    assert.equal(
      (await ann.api.patch(`/companies/users/${ann.id}`, { position: 'Boss', status: 'active' })).status,
      200,
    )
    assert.equal((await ann.api.post('/companies/users', { name: 'New', email: anyEmail() })).status, 201)
    const { path } = await createRole(ann, 'Strong', ['users:read', 'users:update'])
    assert.equal((await ann.api.patch(path, { permissions: ['users:update'] })).status, 200)
    assert.equal((await ann.api.delete('/auth/sessions')).status, 200)
  })
})

describe('an account without a second factor', () => {
  it('is asked for nothing more than before, however old its session is', async () => {
    for (const [what, act] of Object.entries(thefts)) {
      if (/factor|recovery|temporary|passkey|domain|policy/.test(what)) continue
      const ann = await signUp(client)
      const secondOwner = await join(ann, await signUp(client), ['Owner'])
      const member = await joinWith(ann, await signUp(client), [])
      await ageProofs(service, ann, 100_000)
      const { status, body } = await act({
        ann,
        secondOwner,
        member,
        roles: await rolesOf(ann),
        app: {} as App,
        factorId: '',
      })
      assert.ok(status < 300, `${what}: ${JSON.stringify(body)}`)
    }
  })
})
