import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addDomain,
  joinable,
  personAt,
  publish,
  type TestDomain,
  useTestAppWithDns,
  verifiedDomain,
  verify,
} from '../../../test/support/domains.ts'
import { join } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { recheckDomains } from './recheck.ts'

const service = await useTestAppWithDns()
const { dns } = service

const recheck = (parts = service.parts) =>
  recheckDomains(parts, { signal: new AbortController().signal, onFailure: (error) => assert.fail(error) })
const read = async ({ api }: Person, { id }: { id: string }) => (await api.get(`/companies/domains/${id}`)).body.data
/** Lets time pass for a domain. */
const age = ({ id }: TestDomain, hours: number) =>
  service.db.query(
    `update company_domains
     set check_at = check_at - make_interval(hours => $2), failing_since = failing_since - make_interval(hours => $2)
     where id = $1`,
    [id, hours],
  )
const hoursUntilCheck = async ({ id }: TestDomain) => {
  const [row] = await service.db.query<{ hours: number }>(
    'select extract(epoch from check_at - now())::float / 3600 as hours from company_domains where id = $1',
    [id],
  )
  return row?.hours ?? Number.NaN
}
const askedFor = ({ record }: TestDomain) => dns.asked.udp.filter((name) => name === record.name).length

describe('verified domains', () => {
  it('are checked again after about a day, each at a moment of its own', async () => {
    const ann = await signUp(service.client)
    const domains = [await verifiedDomain(service, ann), await verifiedDomain(service, ann)]
    const hours = await Promise.all(domains.map(hoursUntilCheck))
    for (const each of hours) assert.ok(each > 21.5 && each <= 24, `${each} h`)
    assert.notEqual(hours[0], hours[1])
    await recheck()
    assert.deepEqual(domains.map(askedFor), [1, 1])

    for (const domain of domains) await age(domain, 24)
    await recheck()

    assert.deepEqual(domains.map(askedFor), [2, 2])
    for (const domain of domains) assert.ok((await hoursUntilCheck(domain)) > 21.5)
  })

  it('are each checked by one of several nodes', async () => {
    const ann = await signUp(service.client)
    const domains: TestDomain[] = []
    for (let count = 0; count < 12; count++) domains.push(await verifiedDomain(service, ann))
    for (const domain of domains) await age(domain, 24)

    await Promise.all([recheck(), recheck(), recheck(), recheck()])

    assert.deepEqual(domains.map(askedFor), Array(12).fill(2))
  })

  it('are checked by another node when one has died meanwhile', async () => {
    const ann = await signUp(service.client)
    const domain = await verifiedDomain(service, ann)
    await age(domain, 24)
    await service.db.query('select from claim_due_domains(100)')
    await recheck()
    assert.equal(askedFor(domain), 1)
    await age(domain, 1)
    await recheck()
    assert.equal(askedFor(domain), 2)
  })

  it('lapse after seven days without their record, with an email to the owners, and not before', async () => {
    const ann = await signUp(service.client)
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto' })
    const bob = await personAt(service, domain)
    dns.zone.delete(domain.record.name)
    await age(domain, 24)
    await recheck()
    const failing = await read(ann, domain)
    assert.deepEqual([failing.status, failing.check_result], ['verified', 'missing'])
    assert.ok(failing.failing_since)
    assert.ok((await hoursUntilCheck(domain)) <= 6)

    await age(domain, 7 * 24 - 1)
    await recheck()
    assert.equal((await read(ann, domain)).status, 'verified')
    assert.equal((await joinable(bob)).length, 1)
    assert.equal((await read(ann, domain)).failing_since < failing.failing_since, true)
    await age(domain, 24)
    await recheck()

    const lapsed = await read(ann, domain)
    assert.deepEqual([lapsed.status, lapsed.failing_since, lapsed.record], ['lapsed', null, domain.record])
    assert.deepEqual(await joinable(bob), [])
    const [email] = await service.mailbox.to(ann.email, 'domain_lapsed')
    assert.equal(email?.subject, `${domain.name} is no longer verified`)
    assert.deepEqual(await service.mailbox.to(admin.email, 'domain_lapsed'), [])
    const [record] = await service.db.query(
      `select actor_id, actor_kind, target_id, changes from audit_records where company_id = $1 and action = 'domains.lapse'`,
      [ann.company.id],
    )
    const changes = { status: { from: 'verified', to: 'lapsed' }, reason: { to: 'record missing' } }
    assert.deepEqual(record, { actor_id: null, actor_kind: 'service', target_id: domain.id, changes })
    const asked = askedFor(domain)
    await recheck()
    assert.equal(askedFor(domain), asked)
    publish(dns, domain)
    assert.equal((await verify(ann, domain)).body.data.status, 'verified')
    assert.equal((await joinable(bob)).length, 1)
  })

  it('start to count anew once their record is there again, also when an owner asks', async () => {
    const ann = await signUp(service.client)
    for (const again of [() => recheck(), (domain: TestDomain) => verify(ann, domain)]) {
      const domain = await verifiedDomain(service, ann)
      const entry = dns.zone.get(domain.record.name)
      dns.zone.delete(domain.record.name)
      assertProblem(await verify(ann, domain), 422, 'domain_record_not_found')
      assert.ok((await read(ann, domain)).failing_since)
      await age(domain, 6 * 24)
      dns.zone.set(domain.record.name, entry ?? {})
      await again(domain)
      const found = await read(ann, domain)
      assert.deepEqual([found.status, found.check_result, found.failing_since], ['verified', 'found', null])
    }
  })

  it('that do not answer start to count anew after a time in which no one looked, such as in a deleted company', async () => {
    const ann = await signUp(service.client)
    const domain = await verifiedDomain(service, ann)
    dns.zone.set(domain.record.name, { rcode: 2 })
    await age(domain, 24)
    await recheck()
    assert.ok((await read(ann, domain)).failing_since)
    assert.equal((await ann.api.delete(`/companies/${ann.company.id}`)).status, 200)
    await age(domain, 8 * 24)
    await service.db.query(`update company_domains set checked_at = checked_at - interval '8 days' where id = $1`, [
      domain.id,
    ])
    assert.equal((await ann.api.post(`/companies/${ann.company.id}/restore`)).status, 200)

    await recheck()

    const { status, failing_since } = await read(ann, domain)
    assert.equal(status, 'verified')
    assert.ok(Date.now() - Date.parse(failing_since) < 60_000)
    await age(domain, 7 * 24)
    await recheck()
    assert.equal((await read(ann, domain)).status, 'lapsed')
  })

  it('stay when no name server answers at all, and fail when theirs alone do not', async () => {
    const ann = await signUp(service.client)
    const domain = await verifiedDomain(service, ann)
    dns.zone.set(domain.record.name, { isSilent: true })
    dns.zone.set('', { isSilent: true })
    await age(domain, 24)
    assert.equal(await recheck(), false)
    assert.deepEqual([(await read(ann, domain)).check_result, (await read(ann, domain)).failing_since], ['found', null])

    dns.zone.set('', {})
    await age(domain, 1)
    assert.equal(await recheck(), true)
    const failing = await read(ann, domain)
    assert.equal(failing.check_result, 'unanswered')
    assert.ok(failing.failing_since)
  })

  it('of deleted companies wait, and pending and lapsed ones are never checked', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    const [domain, pending] = [await verifiedDomain(service, ann), await addDomain(bob)]
    await ann.api.delete(`/companies/${ann.company.id}`)
    await age(domain, 48)
    await recheck()
    assert.deepEqual([askedFor(domain), askedFor(pending)], [1, 0])
    await ann.api.post(`/companies/${ann.company.id}/restore`)
    await recheck()
    assert.equal(askedFor(domain), 2)
  })
})
