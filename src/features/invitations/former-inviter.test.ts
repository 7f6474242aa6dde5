import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addApp, confirmMailbox } from '../../../test/support/factors.ts'
import { accept, createInvitationLink, invitationToken, invite, joinByLink } from '../../../test/support/invitations.ts'
import { join, recoverAccount, rolesOf } from '../../../test/support/members.ts'
import { assertProblem, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()

const creatorsOf = (company: string) =>
  service.db.query(
    `select creator_id as by, (revoked_at is not null or uses >= max_uses) as ended from invitation_links where company_id = $1
     union all select inviter_id, status <> 'pending' from invitations where company_id = $1 order by ended`,
    [company],
  )

it('writes nothing to what has ended when its maker leaves, however much that is', async () => {
  const ann = await signUp(service.client)
  const admin = await join(ann, await signUp(service.client), ['Admin'])
  const link = await createInvitationLink(admin)
  assert.equal((await admin.api.delete(link.path)).status, 200)
  await createInvitationLink(admin)
  const usedUp = await createInvitationLink(admin)
  await service.db.query('update invitation_links set uses = max_uses where id = $1', [usedUp.id])
  const ended = await invite(admin)
  assert.equal((await admin.api.delete(ended.path)).status, 200)
  await invite(admin)

  assert.equal((await ann.api.delete(`/companies/users/${admin.id}`)).status, 200)

  assert.deepEqual(await creatorsOf(ann.company.id), [
    { by: null, ended: false },
    { by: null, ended: false },
    { by: admin.id, ended: true },
    { by: admin.id, ended: true },
    { by: admin.id, ended: true },
  ])
})

it('lets in by no invitation and no link of a member who left, also when that member is back', async () => {
  const ann = await signUp(service.client)
  const admin = await join(ann, await signUp(service.client), ['Admin'])
  const bob = await recoverAccount(service, await signUp(service.client))
  await confirmMailbox(service, bob)
  const link = await createInvitationLink(admin)
  const invited = await invite(admin, { email: bob.email })
  const token = await invitationToken(service, invited)
  assert.equal((await admin.api.post(`/companies/${ann.company.id}/leave`)).status, 200)
  await join(ann, admin, ['Admin'])

  const joined = await joinByLink(bob, link.token)
  assertProblem(joined, 422, 'invitation_no_longer_valid')
  assertProblem(await accept(bob, token), 422, 'invitation_no_longer_valid')
  assert.equal((await ann.api.get('/companies/users')).body.total, 2)
})

it('lets in by no invitation and no link of a member whom the policy shuts out for want of a second factor', async () => {
  const ann = await signUp(service.client)
  await addApp(service, ann)
  const admin = await join(ann, await signUp(service.client), ['Admin'])
  const bob = await recoverAccount(service, await signUp(service.client))
  await confirmMailbox(service, bob)
  const { Admin = '', Owner = '' } = await rolesOf(ann)
  const link = await createInvitationLink(admin, { roleIds: [Admin] })
  const token = await invitationToken(service, await invite(admin, { email: bob.email }))
  const require = (secondFactor: object) => ann.api.patch('/companies/policy', { secondFactor })
  assert.equal((await require({ required: 'everybody' })).status, 200)
  assertProblem(await joinByLink(bob, link.token), 422, 'invitation_no_longer_valid')
  assertProblem(await accept(bob, token), 422, 'invitation_no_longer_valid')

  const own = await createInvitationLink(ann)
  assert.equal((await joinByLink(bob, own.token)).status, 200)
  assert.equal((await ann.api.delete(`/companies/users/${bob.id}`)).status, 200)
  assert.equal((await require({ required: 'roles', roleIds: [Owner] })).status, 200)
  const another = await createInvitationLink(admin)
  assert.equal((await joinByLink(bob, another.token)).status, 200)
})
