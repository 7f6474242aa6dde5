import assert from 'node:assert/strict'
import { before, describe, it, mock } from 'node:test'
import type { CompanyAccess } from '../src/access/requirements.ts'
import { OpenApiDocument } from '../src/http/openapi/document.ts'
import { createBranch } from './support/branches.ts'
import { addDomain, anyDomain, plantDomain, publish, type TestDomain, useTestAppWithDns } from './support/domains.ts'
import { confirmFactor } from './support/factors.ts'
import { invite } from './support/invitations.ts'
import { addMember, createRole, join } from './support/members.ts'
import { anyEmail, PASSWORD, type Person, signUp } from './support/people.ts'

/** A company with two owners, of whom the second one sends the requests, and the resources of the requests. */
interface Scene {
  ann: Person
  bob: Person
  memberId: string
  roleId: string
  branchId: string
  invitationId: string
  linkId: string
  strangerId: string
  /** Its record is published. */
  domain: TestDomain
  requestId: string
}

interface Sent {
  path: string
  body?: object
  /** Creates what the request needs. */
  prepare?: (scene: Scene) => Promise<unknown>
}

const offer = (by: Person, to: Person) =>
  by.api.post(`/companies/${by.company.id}/ownership-transfer`, { userId: to.id })
const demoteToAdmin = async ({ ann, bob }: Scene) => {
  const roles = (await ann.api.get('/companies/roles?limit=100')).body.data
  const admin = roles.find(({ name }: { name: string }) => name === 'Admin')
  await ann.api.patch(`/companies/users/${bob.id}`, { roleIds: [admin.id] })
}
const offerToBob = async (scene: Scene) => {
  await demoteToAdmin(scene)
  await offer(scene.ann, scene.bob)
}
const offerToMember = ({ ann, memberId }: Scene) => offer(ann, { ...ann, id: memberId })

/** An effective request for every write in a company, by operation. */
const requests: Record<string, (scene: Scene) => Sent> = {
  updateCompany: ({ ann }) => ({ path: `/companies/${ann.company.id}`, body: { taxId: 'other' } }),
  deleteCompany: ({ ann }) => ({ path: `/companies/${ann.company.id}` }),
  leaveCompany: ({ ann }) => ({ path: `/companies/${ann.company.id}/leave` }),
  offerOwnershipTransfer: ({ ann, memberId }) => ({
    path: `/companies/${ann.company.id}/ownership-transfer`,
    body: { userId: memberId },
  }),
  cancelOwnershipTransfer: ({ ann }) => ({
    path: `/companies/${ann.company.id}/ownership-transfer`,
    prepare: offerToMember,
  }),
  acceptOwnershipTransfer: ({ ann }) => ({
    path: `/companies/${ann.company.id}/ownership-transfer/accept`,
    body: { currentPassword: PASSWORD },
    prepare: offerToBob,
  }),
  declineOwnershipTransfer: ({ ann }) => ({
    path: `/companies/${ann.company.id}/ownership-transfer/decline`,
    prepare: offerToBob,
  }),
  addMember: () => ({ path: '/companies/users', body: { name: 'New Member', email: anyEmail() } }),
  assignMember: ({ ann, strangerId }) => ({
    path: `/companies/${ann.company.id}/members`,
    body: { userId: strangerId },
  }),
  updateMember: ({ memberId }) => ({ path: `/companies/users/${memberId}`, body: { position: 'Clerk' } }),
  resetMemberPassword: ({ memberId }) => ({ path: `/companies/users/${memberId}/reset-password` }),
  resetMemberSecondFactor: ({ memberId }) => ({
    path: `/companies/users/${memberId}/reset-second-factor`,
    prepare: () => confirmFactor(service.db, memberId),
  }),
  emailMemberPassword: ({ memberId }) => ({ path: `/companies/users/${memberId}/reset-password-email` }),
  detachMember: ({ memberId }) => ({ path: `/companies/users/${memberId}` }),
  detachMemberFromCompany: ({ ann, memberId }) => ({ path: `/companies/${ann.company.id}/members/${memberId}` }),
  createInvitation: () => ({ path: '/companies/invitations', body: { email: anyEmail() } }),
  createInvitationLink: () => ({ path: '/companies/invitation-links', body: {} }),
  revokeInvitationLink: ({ linkId }) => ({ path: `/companies/invitation-links/${linkId}` }),
  updateInvitation: ({ invitationId }) => ({ path: `/companies/invitations/${invitationId}`, body: { name: 'Bob' } }),
  resendInvitation: ({ invitationId }) => ({ path: `/companies/invitations/${invitationId}/resend` }),
  revokeInvitation: ({ invitationId }) => ({ path: `/companies/invitations/${invitationId}` }),
  createBranch: () => ({ path: '/companies/branches', body: { name: 'Lima Centro' } }),
  updateBranch: ({ branchId }) => ({ path: `/companies/branches/${branchId}`, body: { phone: '555' } }),
  deleteBranch: ({ branchId }) => ({ path: `/companies/branches/${branchId}` }),
  createRole: () => ({ path: '/companies/roles', body: { name: 'Seller', permissions: [] } }),
  updateRole: ({ roleId }) => ({ path: `/companies/roles/${roleId}`, body: { description: 'Sells' } }),
  deleteRole: ({ roleId }) => ({ path: `/companies/roles/${roleId}` }),
  addDomain: () => ({ path: '/companies/domains', body: { name: anyDomain() } }),
  verifyDomain: ({ domain }) => ({ path: `/companies/domains/${domain.id}/verify` }),
  updateDomain: ({ domain }) => ({ path: `/companies/domains/${domain.id}`, body: { joinPolicy: 'auto' } }),
  deleteDomain: ({ domain }) => ({ path: `/companies/domains/${domain.id}` }),
  approveJoinRequest: ({ requestId }) => ({ path: `/companies/join-requests/${requestId}/approve`, body: {} }),
  declineJoinRequest: ({ requestId }) => ({ path: `/companies/join-requests/${requestId}/decline` }),
  updatePolicy: () => ({ path: '/companies/policy', body: { sessions: { maxAgeHours: 24 } } }),
  updateAuditSettings: () => ({ path: '/companies/audit/settings', body: { retentionDays: 365 } }),
}

const declaring = mock.method(OpenApiDocument.prototype, 'add')
const service = await useTestAppWithDns()
let writes: { method: string; operationId: string; access: CompanyAccess }[]
before(async () => {
  writes = declaring.mock.calls.flatMap(({ arguments: [method, , { access, docs }] }) =>
    method !== 'GET' && typeof access === 'object' ? [{ method, operationId: docs.operationId, access }] : [],
  )
})

describe('a write in a company', () => {
  it('is covered by this test for every route', () => {
    assert.deepEqual(writes.map(({ operationId }) => operationId).sort(), Object.keys(requests).sort())
  })

  for (const [operationId, requestIn] of Object.entries(requests)) {
    it(`checks the permission again under the lock: ${operationId}`, async () => {
      const { method, access } = writes.find((write) => write.operationId === operationId) as (typeof writes)[number]
      const scene = await createScene()
      const { path, body, prepare } = requestIn(scene)
      await prepare?.(scene)
      const send = () => scene.bob.api.send(method, path, body)

      await service.db.query('begin')
      await service.db.query('select from companies where id = $1 for update', [scene.ann.company.id])
      const before = await rowsOf(scene)
      const sent = send()
      await service.db.waitForLock()
      await service.db.query(demotion[kindOf(access)], [scene.ann.company.id, scene.bob.id])
      const expected = await rowsOf(scene)
      await service.db.query('commit')

      const { status } = await sent
      assert.equal(status, access.at && kindOf(access) !== 'permission' ? 404 : 403)
      assert.notDeepEqual(expected, before)
      assert.deepEqual(await rowsOf(scene), expected)
    })

    it(`checks again under the lock whether the company is suspended: ${operationId}`, async () => {
      const { method, access } = writes.find((write) => write.operationId === operationId) as (typeof writes)[number]
      const scene = await createScene()
      const { path, body, prepare } = requestIn(scene)
      await prepare?.(scene)

      await service.db.query('begin')
      await service.db.query('update companies set suspended_at = now() where id = $1', [scene.ann.company.id])
      const before = await rowsOf(scene)
      const sent = scene.bob.api.send(method, path, body)
      await service.db.waitForLock()
      await service.db.query('commit')

      const { status, body: answer } = await sent
      if (kindOf(access) === 'any membership') return assert.equal(status, 200)
      assert.deepEqual([status, answer.code], [403, 'company_suspended'])
      assert.deepEqual(await rowsOf(scene), before)
    })

    it(`refuses a session that was revoked while it waited for the lock: ${operationId}`, async () => {
      const { method } = writes.find((write) => write.operationId === operationId) as (typeof writes)[number]
      const scene = await createScene()
      const { path, body, prepare } = requestIn(scene)
      await prepare?.(scene)

      await service.db.query('begin')
      await service.db.query('select from companies where id = $1 for update', [scene.ann.company.id])
      const before = await rowsOf(scene)
      const sent = scene.bob.api.send(method, path, body)
      await service.db.waitForLock()
      await service.db.query(
        `update sessions set revoked_at = now(), revoked_reason = 'logout' where account_id = $1`,
        [scene.bob.id],
      )
      await service.db.query('commit')

      const { status, body: answer } = await sent
      assert.deepEqual([status, answer.code], [401, 'token_invalid'])
      assert.deepEqual(await rowsOf(scene), before)
    })

    it(`takes effect while the actor has the permission: ${operationId}`, async () => {
      const { method } = writes.find((write) => write.operationId === operationId) as (typeof writes)[number]
      const scene = await createScene()
      const { path, body, prepare } = requestIn(scene)
      await prepare?.(scene)
      const before = await rowsOf(scene)
      const { status, body: answer } = await scene.bob.api.send(method, path, body)
      assert.ok(status < 300, JSON.stringify(answer))
      assert.notDeepEqual(await rowsOf(scene), before)
    })
  }
})

async function createScene(): Promise<Scene> {
  const ann = await signUp(service.client)
  const bob = await join(ann, await signUp(service.client), ['Owner'])
  const { id: memberId } = await addMember(ann)
  const { id: roleId } = await createRole(ann, 'Helper')
  const { id: branchId } = await createBranch(ann)
  const stranger = await signUp(service.client)
  const domain = await addDomain(ann)
  publish(service.dns, domain)
  await plantDomain(service, ann, stranger)
  const requestId = (await ann.api.get('/companies/join-requests')).body.data[0].id
  const { id: invitationId } = await invite(ann)
  const { id: linkId } = (await ann.api.post('/companies/invitation-links', {})).body.data
  const strangerId = stranger.id
  return { ann, bob, memberId, roleId, branchId, invitationId, linkId, strangerId, domain, requestId }
}

const kindOf = ({ company }: CompanyAccess) =>
  company === 'membership' || company === 'any membership' ? company : 'permission'

/** The statement that takes the access of a member away, by the access of the route. */
const demotion = {
  permission: `with other as (
      insert into roles (id, company_id, name, name_folded, search, permissions)
      select gen_random_uuid(), $1, 'Powerless', 'powerless', 'powerless', '{}' returning id)
    update membership_roles set role_id = other.id from other where company_id = $1 and account_id = $2`,
  membership: `update memberships set status = 'inactive' where company_id = $1 and account_id = $2`,
  'any membership': 'delete from memberships where company_id = $1 and account_id = $2',
}

/** All data that a write in this company can change, except the record of its refusal. */
async function rowsOf({ ann, bob, memberId, strangerId }: Scene): Promise<unknown> {
  const company = [ann.company.id]
  const accounts = [[ann.id, bob.id, memberId, strangerId]]
  const read = (table: string, column: string, values: unknown[]) =>
    service.db.query(`select * from ${table} where ${column} = any ($1::uuid[]) order by ${table}::text`, values)
  const inCompany = ['memberships', 'membership_roles', 'membership_branches', 'roles', 'branches', 'company_counters']
  const ofDomains = ['company_domains', 'join_requests', 'invitations', 'invitation_links']
  return {
    companies: await read('companies', 'id', [company]),
    offers: await read('ownership_offers', 'company_id', [company]),
    settings: await read('audit_settings', 'company_id', [company]),
    emails: await service.db.query('select count(*)::int as count from emails'),
    accounts: await read('accounts', 'id', accounts),
    passwords: await read('passwords', 'account_id', accounts),
    ...Object.fromEntries(
      await Promise.all(
        [...inCompany, ...ofDomains].map(async (table) => [table, await read(table, 'company_id', [company])]),
      ),
    ),
  }
}
