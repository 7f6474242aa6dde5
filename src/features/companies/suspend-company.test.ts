import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addManagedMember, addMember, join, link } from '../../../test/support/members.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { assertProblem, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { verifyCompany } from '../audit/chain/verify-company.ts'
import { purgeCompanies } from './purge-companies.ts'
import { restoreDeletedCompany, resumeCompany, suspendCompany } from './suspend-company.ts'

const service = await useTestApp()
const suspend = (id: string, notifies = false) =>
  suspendCompany(service.parts, OPERATOR, id, { notifies, reason: 'unpaid' })
const resume = (id: string, notifies = false) => resumeCompany(service.parts, OPERATOR, id, { notifies })
const restore = (id: string) => restoreDeletedCompany(service.parts, OPERATOR, id, undefined)
const isRefused = (code: string) => (error: unknown) => (error as { code?: string }).code === code
const statuses = ({ body }: { body: { data: { id: string; status: string }[] } }) =>
  Object.fromEntries(body.data.map(({ id, status }) => [id, status]))

describe('a suspended company', () => {
  it('is shown with its status to its members, with their permissions and roles', async () => {
    const ann = await signUp(service.client)
    await suspend(ann.company.id)
    const shown = { ...ann.company, status: 'suspended' }
    for (const { body } of [
      await ann.api.get('/auth/me'),
      await service.client.post('/auth/login', { email: ann.email, password: 'Correct-horse-7' }),
    ]) {
      assert.deepEqual(body.data.tenants, [shown])
      assert.ok(body.data.companyPermissions[ann.company.id].includes('users:read'))
      assert.deepEqual(body.data.companyRoles, { [ann.company.id]: ['Owner'] })
    }
  })

  it('is in the list of companies, which can be filtered by status', async () => {
    const ann = await signUp(service.client)
    const { id } = (await ann.api.post('/companies', { name: `Second ${ann.id}`, taxId: '1' })).body.data
    await suspend(id)
    assert.deepEqual(statuses(await ann.api.get('/companies')), { [ann.company.id]: 'active', [id]: 'suspended' })
    assert.deepEqual(statuses(await ann.api.get('/companies?status=suspended')), { [id]: 'suspended' })
    assert.deepEqual(statuses(await ann.api.get('/companies?status=active')), { [ann.company.id]: 'active' })
    assert.deepEqual(statuses(await ann.api.get('/companies?status=deleted')), {})
  })

  it('can be left by every member but the only owner, also by one who has not opened it', async () => {
    const ann = await signUp(service.client)
    const [bob, eve] = [await signUp(service.client), await signUp(service.client)]
    const members = [await join(ann, bob), await link(ann, eve)]
    await suspend(ann.company.id)
    for (const { api } of members) assert.equal((await api.post(`/companies/${ann.company.id}/leave`)).status, 200)
    assertProblem(await ann.api.post(`/companies/${ann.company.id}/leave`), 422, 'last_owner')
  })

  it('is opened by no request, and learns nothing of those who have not opened it', async () => {
    const ann = await signUp(service.client)
    const bob = await link(ann, await signUp(service.client), ['Admin'])
    await suspend(ann.company.id)
    assertProblem(await bob.api.get('/companies/users'), 403, 'company_suspended')
    const [membership] = await service.db.query(
      'select opened_at from memberships where company_id = $1 and account_id = $2',
      [ann.company.id, bob.id],
    )
    assert.deepEqual(membership, { opened_at: null })
    assertProblem(await ann.api.get('/companies/users'), 403, 'company_suspended')
    const refused = await service.db.query<{ actor_id: string }>(
      `select actor_id from audit_records where company_id = $1 and outcome = 'company_suspended'`,
      [ann.company.id],
    )
    assert.deepEqual(refused, [{ actor_id: ann.id }])
  })

  it('gives its members no authority elsewhere: neither people to find nor passwords to reset', async () => {
    const ann = await signUp(service.client)
    const bob = await addManagedMember(service, ann)
    const { id } = (await ann.api.post('/companies', { name: `Other ${ann.id}`, taxId: '1' })).body.data
    const other: Person = { ...ann, company: { ...ann.company, id }, api: ann.api.with({ company: id }) }
    const hidden = await addMember(other, { name: `Hidden ${id}` })
    await join(other, bob)
    const search = () => ann.api.get(`/companies/users/search?q=${encodeURIComponent(`Hidden ${id}`)}`)
    const companies = async () => (await ann.api.get(`/companies/users/${bob.id}/companies`)).body.data.length
    assert.deepEqual([(await search()).body.data[0]?.id, await companies()], [hidden.id, 2])
    await suspend(id)
    assert.deepEqual([(await search()).body.data, await companies()], [[], 1])
    const reset = () => ann.api.post(`/companies/users/${bob.id}/reset-password`)
    assertProblem(await reset(), 403, 'account_not_managed')
    await resume(id)
    assert.equal((await reset()).status, 200)
  })

  it('works as before once it is resumed', async () => {
    const ann = await signUp(service.client)
    const before = (await ann.api.get(`/companies/${ann.company.id}`)).body.data
    assert.deepEqual([await suspend(ann.company.id), await suspend(ann.company.id)], [true, false])
    assert.deepEqual([await resume(ann.company.id), await resume(ann.company.id)], [true, false])
    const after = (await ann.api.get(`/companies/${ann.company.id}`)).body.data
    assert.deepEqual(after, { ...before, updated_at: after.updated_at })
  })

  it('has records of both by the operator, in a log that goes on and verifies', async () => {
    const ann = await signUp(service.client)
    await suspend(ann.company.id)
    const suspended = await verifyCompany(service.auditDeps, ann.company.id)
    await resume(ann.company.id)
    const { data } = (await ann.api.get('/companies/audit?targetType=company')).body
    const [resuming, suspending] = data
    assert.deepEqual([resuming.action, suspending.action], ['companies.resume', 'companies.suspend'])
    assert.deepEqual(suspending.changes, { status: { from: 'active', to: 'suspended' }, reason: { to: 'unpaid' } })
    assert.deepEqual(suspending.actor, { id: null, kind: 'operator', name: 'Operator (Olga)', email: '' })
    assert.deepEqual([suspending.ip, suspending.user_agent], [null, 'tenantry test'])
    const verdict = await verifyCompany(service.auditDeps, ann.company.id)
    assert.deepEqual([suspended.valid, verdict.valid], [true, true])
    assert.ok(verdict.records > suspended.records)
  })

  it('is told to its owners by email, when the operator wants that', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client), ['Owner'])
    const eve = await join(ann, await signUp(service.client), ['Admin'])
    await suspend(ann.company.id, true)
    await resume(ann.company.id, true)
    for (const kind of ['company_suspended', 'company_resumed'] as const) {
      for (const { email } of [ann, bob]) assert.equal((await service.mailbox.to(email, kind)).length, 1)
      assert.deepEqual(await service.mailbox.to(eve.email, kind), [])
    }
    await suspend(ann.company.id)
    assert.equal((await service.mailbox.to(ann.email, 'company_suspended')).length, 1)
  })
})

describe('a suspended company that is deleted', () => {
  const deleted = async (): Promise<Person> => {
    const ann = await signUp(service.client)
    await ann.api.delete(`/companies/${ann.company.id}`)
    await suspend(ann.company.id, true)
    return ann
  }

  it('is restored by an operator and not by its owners, and stays suspended', async () => {
    const ann = await deleted()
    assert.deepEqual(await service.mailbox.to(ann.email, 'company_suspended'), [])
    assertProblem(await ann.api.post(`/companies/${ann.company.id}/restore`), 403, 'company_suspended')
    assert.deepEqual(statuses(await ann.api.get('/companies?status=deleted')), { [ann.company.id]: 'deleted' })
    assert.deepEqual([await restore(ann.company.id), await restore(ann.company.id)], [true, false])
    assertProblem(await ann.api.get(`/companies/${ann.company.id}`), 403, 'company_suspended')
    await resume(ann.company.id)
    assert.equal((await ann.api.get(`/companies/${ann.company.id}`)).status, 200)
  })

  it('is restored by its owners once it is resumed', async () => {
    const ann = await deleted()
    await resume(ann.company.id)
    assert.equal((await ann.api.post(`/companies/${ann.company.id}/restore`)).status, 200)
  })

  it('is purged in time, and known to no operator from the start of its purge on', async () => {
    const ann = await deleted()
    await service.db.query(`update companies set deleted_at = now() - interval '31 days', purge_started_at = now()
      where id = '${ann.company.id}'`)
    await assert.rejects(restore(ann.company.id), isRefused('company_purged'))
    const onFailure = (error: Error) => assert.fail(error)
    await purgeCompanies(service.database, { signal: new AbortController().signal, onPurged: () => {}, onFailure })
    await assert.rejects(suspend(ann.company.id), isRefused('company_not_found'))
    assert.deepEqual((await signIn(service.client, ann.email)).company, undefined)
  })
})

it('is suspended and resumed by operators at the same time one after the other', async () => {
  const ann = await signUp(service.client)
  for (const change of [suspend, resume]) {
    const done = await Promise.all(Array.from({ length: 8 }, () => change(ann.company.id)))
    assert.equal(done.filter(Boolean).length, 1)
  }
})
