import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp } from '../../../test/support/app.ts'
import { joinByDomain, personAt, useTestAppWithDns, verifiedDomain } from '../../../test/support/domains.ts'
import { confirmMailbox } from '../../../test/support/factors.ts'
import { accept, createInvitationLink, invitationToken, invite, joinByLink } from '../../../test/support/invitations.ts'
import { link } from '../../../test/support/members.ts'
import { assertProblem, PASSWORD, type Person, registration, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestAppWithDns()
const { query } = service.db

/** Lets the account be in so many more companies, each with nothing but this member. */
async function addCompanies(
  { id }: Person,
  count: number,
  { opened = true, deleted = false, named = 'many' } = {},
): Promise<void> {
  await query('set session_replication_role = replica')
  await query(
    `with made as (
       insert into companies (id, name, name_folded, slug, tax_id, deleted_at)
       select gen_random_uuid(), name, name, name, 'T', case when $4 then now() end
       from generate_series(1, $2::integer) n, concat($5::text, '-', n, '-of-', $1::text) name
       returning id)
     insert into memberships (company_id, account_id, opened_at, name, name_folded, email, search)
     select made.id, $1::uuid, case when $3 then now() end, '', '', '', '' from made`,
    [id, count, opened, deleted, named],
  )
  if (opened) await query('update accounts set opened_companies = opened_companies + $2 where id = $1', [id, count])
  await query('set session_replication_role = origin')
}

const createCompany = ({ api }: Person) => {
  const { companyName: name } = registration()
  return api.post('/companies', { name, taxId: 'T' })
}
const membershipsOf = async ({ id }: Person) =>
  (await query('select from memberships where account_id = $1', [id])).length

describe('an account', () => {
  it('is in 1,000 companies at most, also by twenty requests at once, and in another one after leaving', async () => {
    const [ann, bob, carl] = [await signUp(service.client), await signUp(service.client), await signUp(service.client)]
    const there = await link(carl, ann)
    assert.equal((await there.api.get(`/companies/${carl.company.id}`)).status, 200)
    await addCompanies(ann, 997)
    const answers = await Promise.all(Array.from({ length: 20 }, () => createCompany(ann)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(422)])
    for (const answer of answers) if (answer.status === 422) assertProblem(answer, 422, 'company_limit_reached')
    assert.equal(await membershipsOf(ann), 1000)

    const token = await invitationToken(service, await invite(bob, { email: ann.email }))
    await confirmMailbox(service, ann)
    assertProblem(await accept(ann, token), 422, 'company_limit_reached')
    assert.equal(await membershipsOf(ann), 1000)
    assert.equal((await there.api.post(`/companies/${carl.company.id}/leave`)).status, 200)
    assert.equal((await accept(ann, token)).status, 200)
    assertProblem(await createCompany(ann), 422, 'company_limit_reached')
  })

  it('is added by others while it is in fewer than 1,000, by its address and by its id, and can be invited still', async () => {
    const [ann, bob, carl] = [await signUp(service.client), await signUp(service.client), await signUp(service.client)]
    await addCompanies(ann, 998, { opened: false })
    await link(bob, ann)
    assert.equal(await membershipsOf(ann), 1000)
    const added = await carl.api.post('/companies/users', { name: 'Ann', email: ann.email })
    assertProblem(added, 422, 'added_company_limit_reached')
    const assigned = await carl.api.post(`/companies/${carl.company.id}/members`, { userId: ann.id })
    assertProblem(assigned, 422, 'added_company_limit_reached')
    assert.equal(await membershipsOf(ann), 1000)
    const token = await invitationToken(service, await invite(carl, { email: ann.email }))
    await confirmMailbox(service, ann)
    assert.equal((await accept(ann, token)).status, 200)
  })

  it('can delete companies that were created in its name, and enter others at once', async () => {
    const ann = await signUp(service.client)
    await addCompanies(ann, 999)
    assertProblem(await createCompany(ann), 422, 'company_limit_reached')
    await query(`update companies set deleted_at = now() where slug like $1`, [`many-%-of-${ann.id}`])
    assert.equal((await createCompany(ann)).status, 201)
    await addCompanies(ann, 1000, { deleted: true, named: 'gone' })
    assertProblem(await createCompany(ann), 422, 'company_limit_reached')
  })

  it('is let in by a company that it asks, while it is in fewer than 2,000', async () => {
    const bob = await signUp(service.client)
    const domain = await verifiedDomain(service, bob, { joinPolicy: 'request' })
    const ann = await personAt(service, domain)
    await addCompanies(ann, 1000, { opened: false })
    const { request } = (await joinByDomain(ann, bob)).body.data
    const approve = () => bob.api.post(`/companies/join-requests/${request.id}/approve`)
    await addCompanies(ann, 999, { opened: false, named: 'more' })
    assertProblem(await approve(), 422, 'added_company_limit_reached')
    await query('set session_replication_role = replica')
    await query('delete from memberships where company_id = (select id from companies where slug = $1)', [
      `more-1-of-${ann.id}`,
    ])
    await query('set session_replication_role = origin')
    assert.equal((await approve()).status, 200)
  })

  it('signs in anew by a repeated request when it is in many, because no long response is kept', async () => {
    const ann = await signUp(service.client)
    const headers = { 'idempotency-key': newId() }
    const login = () => service.client.post('/auth/login', { email: ann.email, password: PASSWORD }, { headers })
    const first = await login()
    assert.equal((await login()).body.data.accessToken, first.body.data.accessToken)
    await query('delete from idempotent_requests')
    await addCompanies(ann, 999)
    const [second, third] = [await login(), await login()]
    assert.deepEqual([second.status, third.status], [200, 200])
    assert.equal(second.body.data.tenants.length, 1000)
    assert.notEqual(third.body.data.accessToken, second.body.data.accessToken)
  })

  it('has entered many companies in its time, but is in few of them', async () => {
    const ann = await signUp(service.client)
    await query('update accounts set opened_companies = 5000 where id = $1', [ann.id])
    assert.equal((await createCompany(ann)).status, 201)
  })

  it('opens what it was added to also when it is in so many that it enters no further one', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    const there = await link(bob, ann)
    await addCompanies(ann, 999)
    assert.equal((await there.api.get(`/companies/${bob.company.id}`)).status, 200)
    assert.equal(await membershipsOf(ann), 1001)
    assertProblem(await createCompany(ann), 422, 'company_limit_reached')
  })
})

it('creates and joins 100 companies an hour, so that a stolen token fills no account', async () => {
  const limited = await startTestApp(
    { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000', DNS_SERVERS: service.dns.address },
    service.db,
  )
  try {
    const [bob, carl, dave] = [await signUp(limited.client), await signUp(limited.client), await signUp(limited.client)]
    const domain = await verifiedDomain(service, bob, { joinPolicy: 'auto' })
    const ann = await personAt(limited, domain)
    const invitation = await invite(carl, { email: ann.email })
    const token = await invitationToken(limited, invitation)
    const declined = await invite(dave, { email: ann.email })
    const { token: linkToken } = await createInvitationLink(dave)
    const entering = {
      created: () => createCompany(ann),
      joinedByDomain: () => joinByDomain(ann, bob),
      joinedByToken: () => accept(ann, token),
      joinedById: () => ann.api.post(`/auth/invitations/${invitation.id}/accept`, {}),
      joinedByLink: () => joinByLink(ann, linkToken),
    }

    await addCompanies(ann, 99)
    for (const [name, enter] of Object.entries(entering)) {
      const refused = await enter()
      assertProblem(refused, 429, 'rate_limited')
      assert.ok(Number(refused.headers.get('retry-after')) > 3500, name)
    }
    assert.equal(await membershipsOf(ann), 100)
    assert.equal((await ann.api.post(`/auth/invitations/${declined.id}/decline`, {})).status, 200)

    await query(
      `update memberships set created_at = created_at - interval '1 hour', opened_at = opened_at - interval '1 hour'
       where account_id = $1`,
      [ann.id],
    )
    await addCompanies(ann, 96, { named: 'more' })
    const { joinedById, ...others } = entering
    const entered = []
    for (const enter of Object.values(others)) entered.push((await enter()).status)
    assert.deepEqual(entered, [201, 200, 200, 200])
    assertProblem(await createCompany(ann), 429, 'rate_limited')
    for (const repeat of [others.joinedByToken, joinedById, others.joinedByLink])
      assert.equal((await repeat()).status, 200)
  } finally {
    await limited.close()
  }
})
