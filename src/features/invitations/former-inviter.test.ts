import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { confirmMailbox } from '../../../test/support/factors.ts'
import { accept, invitationToken, invite } from '../../../test/support/invitations.ts'
import { join, recoverAccount } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()
const LINKS = '/companies/invitation-links'

const createLink = async (by: Person) =>
  (await by.api.post(LINKS, { maxUses: 5 })).body.data as { id: string; token: string }
const creatorsOf = (company: string) =>
  service.db.query(
    `select creator_id as by, (revoked_at is not null or uses >= max_uses) as ended from invitation_links where company_id = $1
     union all select inviter_id, status <> 'pending' from invitations where company_id = $1 order by ended`,
    [company],
  )

it('writes nothing to what has ended when its maker leaves, however much that is', async () => {
  const ann = await signUp(service.client)
  const admin = await join(ann, await signUp(service.client), ['Admin'])
  const link = await createLink(admin)
  assert.equal((await admin.api.delete(`${LINKS}/${link.id}`)).status, 200)
  await createLink(admin)
  const usedUp = await createLink(admin)
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
  const link = await createLink(admin)
  const invited = await invite(admin, { email: bob.email })
  const token = await invitationToken(service, invited)
  assert.equal((await admin.api.post(`/companies/${ann.company.id}/leave`)).status, 200)
  await join(ann, admin, ['Admin'])

  const joined = await bob.api.post('/auth/invitation-links/join', { token: link.token })
  assertProblem(joined, 422, 'invitation_no_longer_valid')
  assertProblem(await accept(bob, token), 422, 'invitation_no_longer_valid')
  assert.equal((await ann.api.get('/companies/users')).body.total, 2)
})
