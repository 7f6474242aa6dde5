import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { expiredCompanies, headsSince, unsealedCompanies } from '../src/features/audit/worker/find-companies.ts'
import { remindOfSecondFactors } from '../src/features/companies/policy/reminders.ts'
import { purgeCompanies } from '../src/features/companies/purge-companies.ts'
import { deleteExpired } from '../src/features/housekeeping/housekeeping.ts'
import { claimDueEmails } from '../src/features/mail/outbox/outbox.ts'
import { startTestApp, type TestApp } from './support/app.ts'
import { createTestDatabase } from './support/database.ts'
import { addMember, createRole, rolesOf } from './support/members.ts'
import { PASSWORD, type Person, signUp } from './support/people.ts'
import { addCompanies, rowsScanned } from './support/scale.ts'
import { until } from './support/until.ts'

const COMPANIES = 10_000

const db = await createTestDatabase()
after(() => db.drop())
before(() => addCompanies(db, COMPANIES))

it(`reads none of the large tables row after row, with ${COMPANIES} companies in the database`, async () => {
  const before = await rowsScanned(db)
  const service = await startTestApp({}, db)
  try {
    const ann = await signUp(service.client)
    await useAccount(service, ann)
    await useCompany(ann)
    await useWorkers(service)
  } finally {
    // A connection that ends reports what it has counted.
    await service.close()
    await until(async () => (await connections()) === 0)
  }
  const after = await rowsScanned(db)
  assert.ok(Object.keys(after).length > 15)
  assert.deepEqual(after, before)
})

async function connections(): Promise<number | undefined> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity where usename = 'tenantry' and datname = current_database()`,
  )
  return row?.count
}

async function useAccount({ client }: TestApp, { api, email }: Person): Promise<void> {
  const { body } = await client.post('/auth/login', { email, password: PASSWORD })
  await client.post('/auth/refresh', { refreshToken: body.data.refreshToken })
  await client.post('/auth/login', { email, password: 'Another-horse-7' })
  await client.post('/auth/forgot-password', { email })
  const own = ['factors', 'invitations', 'companies/joinable', 'join-requests'].map((path) => `/auth/${path}`)
  for (const path of ['/auth/me', '/auth/sessions', '/companies', '/companies?search=com&status=deleted', ...own])
    assert.equal((await api.get(path)).status, 200, path)
  assert.equal((await api.put('/auth/profile', { name: 'Changed', phone: '+1' })).status, 200)
  const made = await api.post('/companies', { name: `Second of ${email}`, taxId: 'T' })
  assert.equal((await api.delete(`/companies/${made.body.data.id}`)).status, 200)
}

async function useCompany(ann: Person): Promise<void> {
  const { api, company } = ann
  const { Member } = await rolesOf(ann)
  const { id, email } = await addMember(ann)
  const role = await createRole(ann, 'Spare')
  const reads = ['users', 'users?search=new', `users?roleId=${Member}`, 'users?status=active&sortBy=email']
  const people = [
    `users/search?q=${email}`,
    'users/search?q=person',
    `users/${id}/companies`,
    `roles/${Member}/members`,
  ]
  const others = [
    'roles',
    'roles?search=m&sortBy=memberCount',
    'branches',
    'branches?tree=true',
    'audit',
    'audit/verify',
    'policy',
    'policy/compliance?sortBy=last_active_at',
    'domains',
    'invitations?search=new',
    'invitation-links',
    'join-requests',
  ]
  for (const path of [...reads, ...people, ...others, `audit?actorId=${ann.id}`, company.id])
    assert.equal((await api.get(`/companies/${path}`)).status, 200, path)
  const soon = new Date(Date.now() + 86_400_000).toISOString()
  const policy = { secondFactor: { required: 'everybody', from: soon }, sessions: { maxAgeHours: 24, idleMinutes: 60 } }
  for (const path of ['policy?dryRun=true', 'policy'])
    assert.equal((await api.patch(`/companies/${path}`, policy)).status, 200, path)
  const { body } = await api.post('/companies/branches', { name: 'North' })
  const change = { phone: '+1', status: 'inactive', roleIds: [role.id], branchIds: [body.data.id] }
  assert.equal((await api.patch(`/companies/users/${id}`, change)).status, 200)
  assert.equal((await api.delete(`${role.path}?reassignTo=${Member}`)).status, 200)
  assert.equal((await api.post(`/companies/users/${id}/reset-password`)).status, 200)
  assert.equal((await api.delete(`/companies/users/${id}`)).status, 200)
}

async function useWorkers({ database, mailbox, parts }: TestApp): Promise<void> {
  const { signal } = new AbortController()
  const onFailure = (error: Error) => assert.fail(error)
  await mailbox.collect()
  await claimDueEmails(database, { emailsMax: 10, perDomain: 3, underWay: [], afterDomain: '' })
  await deleteExpired(database, signal, onFailure)
  await remindOfSecondFactors(database, { emailLimits: parts.config.emailLimits, signal, onFailure })
  await purgeCompanies(database, { signal, onPurged: () => {}, onFailure })
  for await (const _ of unsealedCompanies(database));
  for await (const _ of expiredCompanies(database));
  for await (const _ of headsSince('2020-01-01T00:00:00Z', database));
}
