import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { APP_URL } from '../../../test/support/app.ts'
import {
  addDomain,
  anyDomain,
  publish,
  useTestAppWithDns,
  verifiedDomain,
  verify,
  verifyHeard,
} from '../../../test/support/domains.ts'
import { join } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { until } from '../../../test/support/until.ts'

const service = await useTestAppWithDns({
  RATE_LIMIT_ENABLED: 'true',
  RATE_LIMIT_PER_MINUTE: '1000000',
  TRUST_PROXY: 'loopback',
})
const { dns } = service

let networks = 0
/** Signing up is limited for each network. */
const newOwner = () => signUp(service.client.with({ headers: { 'x-forwarded-for': `10.2.0.${networks++}` } }))
const read = async ({ api }: Person, { id }: { id: string }) => (await api.get(`/companies/domains/${id}`)).body.data
const recordsOf = ({ company }: Person, action: string) =>
  service.db.query(
    `select actor_id, actor_name, actor_email, host(ip) as ip, target_label, changes from audit_records
     where company_id = $1 and action = $2 and outcome = 'done'`,
    [company.id, action],
  )
/** The subjects of the emails of a kind. */
const subjects = async ({ email }: Person, kind: 'domain_moved' | 'domain_lapsed') =>
  (await service.mailbox.to(email, kind)).map(({ subject }) => subject)

describe('verifying a domain', () => {
  it('finds the record among others, and is recorded', async () => {
    const ann = await newOwner()
    const domain = await addDomain(ann)
    dns.zone.set(domain.record.name, { txt: ['v=spf1 -all', domain.record.value] })

    const answer = await verify(ann, domain)

    assert.equal(answer.status, 200)
    assert.deepEqual([answer.body.data.status, answer.body.data.check_result], ['verified', 'found'])
    assert.deepEqual(answer.body.data, await read(ann, domain))
    const [record] = await recordsOf(ann, 'domains.verify')
    assert.deepEqual(record?.changes, { status: { from: 'pending', to: 'verified' } })
    const again = await verify(ann, domain)
    assert.equal(again.body.data.verified_at, answer.body.data.verified_at)
    assert.equal((await recordsOf(ann, 'domains.verify')).length, 1)
  })

  it('is refused, and says why, where the record is missing, another one, or no server answers', async () => {
    const ann = await newOwner()
    const [missing, different, silent] = [await addDomain(ann), await addDomain(ann), await addDomain(ann)]
    dns.zone.set(different.record.name, { txt: [missing.record.value] })
    dns.zone.set(silent.record.name, { isSilent: true })
    for (const [domain, result] of [
      [missing, 'missing'],
      [different, 'different'],
      [silent, 'unanswered'],
    ] as const) {
      const started = performance.now()
      assertProblem(await verify(ann, domain), 422, 'domain_record_not_found')
      const elapsedMs = performance.now() - started
      assert.ok(elapsedMs < 4000, `${elapsedMs} ms`)
      const { status, check_result, failing_since } = await read(ann, domain)
      assert.deepEqual(
        { status, check_result, failing_since },
        { status: 'pending', check_result: result, failing_since: null },
      )
    }
  })

  it('holds no transaction while it waits for the DNS', async () => {
    const ann = await newOwner()
    const domain = await addDomain(ann)
    dns.zone.set(domain.record.name, { isSilent: true })

    const waiting = verify(ann, domain)
    await until(() => dns.asked.udp.includes(domain.record.name))
    const [open] = await service.db.query<{ count: string }>(
      `select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
    )
    const renamed = await ann.api.patch(`/companies/${ann.company.id}`, { name: 'Not blocked' })

    assert.deepEqual([Number(open?.count), renamed.status], [0, 200])
    assertProblem(await waiting, 422, 'domain_record_not_found')
  })

  it('is not done by the token of another company', async () => {
    const [ann, bob] = [await newOwner(), await newOwner()]
    const ofAnn = await verifiedDomain(service, ann)
    const ofBob = await addDomain(bob, ofAnn.name)

    assertProblem(await verify(bob, ofBob), 422, 'domain_record_not_found')

    assert.equal((await read(ann, ofAnn)).status, 'verified')
    assert.equal((await read(bob, ofBob)).check_result, 'different')
  })

  it('is asked for at most ten times an hour by each company, also at once and for new domains', async () => {
    const [ann, bob] = [await newOwner(), await newOwner()]
    const domain = await addDomain(ann)
    const answers = await Promise.all(Array.from({ length: 14 }, () => verify(ann, domain)))
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [...Array(10).fill(422), ...Array(4).fill(429)])

    await ann.api.delete(`/companies/domains/${domain.id}`)
    const refused = await verify(ann, await addDomain(ann))
    assertProblem(refused, 429, 'rate_limited')
    const seconds = Number(refused.headers.get('retry-after'))
    assert.ok(seconds > 3500 && seconds <= 3600, `${seconds} s`)
    assertProblem(await verify(bob, await addDomain(bob)), 422, 'domain_record_not_found')
    await service.db.query(
      `update domain_checks set created_at = created_at - interval '1 hour' where company_id = $1`,
      [ann.company.id],
    )
    assertProblem(await verify(ann, await addDomain(ann)), 422, 'domain_record_not_found')
  })
})

describe('a domain that another company proves later', () => {
  it('moves to it, and the owners of the first one are told without learning of the other', async () => {
    const [ann, bob] = [await newOwner(), await newOwner()]
    const second = await join(ann, await newOwner(), ['Owner'])
    const admin = await join(ann, await newOwner(), ['Admin'])
    const ofAnn = await verifiedDomain(service, ann, { joinPolicy: 'auto' })
    const ofBob = await addDomain(bob, ofAnn.name)
    publish(dns, ofBob)

    assert.equal((await verify(bob, ofBob)).status, 200)

    const former = await read(ann, ofAnn)
    assert.equal(former.status, 'lapsed')
    for (const owner of [ann, second]) {
      const [email] = await service.mailbox.to(owner.email, 'domain_moved')
      assert.equal(email?.subject, `${ofAnn.name} was verified by another company`)
      assert.ok(email?.text.includes(APP_URL))
      assert.equal(email?.text.includes(bob.company.name), false)
    }
    assert.deepEqual(await subjects(admin, 'domain_moved'), [])
    const unknown = { actor_id: null, actor_name: '', actor_email: '', ip: null, target_label: ofAnn.name }
    const changes = { status: { from: 'verified', to: 'lapsed' }, reason: { to: 'verified by another company' } }
    assert.deepEqual(await recordsOf(ann, 'domains.lapse'), [{ ...unknown, changes }])
    assert.deepEqual(await recordsOf(bob, 'domains.lapse'), [])
  })

  it('does not come back by the record that the first one has left in the zone', async () => {
    const [ann, bob] = [await newOwner(), await newOwner()]
    const ofAnn = await verifiedDomain(service, ann)
    const ofBob = await addDomain(bob, ofAnn.name)
    publish(dns, ofBob)
    await verify(bob, ofBob)

    assertProblem(await verify(ann, ofAnn), 422, 'domain_record_not_found')
    const former = await read(ann, ofAnn)
    assert.notEqual(former.record.value, ofAnn.record.value)
    publish(dns, former)
    assert.equal((await verify(ann, former)).status, 200)
    assert.equal((await read(bob, ofBob)).status, 'lapsed')
    assert.equal((await subjects(bob, 'domain_moved')).length, 1)
  })

  it('goes to no other company by a record that was in the zone before the proof', async () => {
    const [ann, bob, former] = [await newOwner(), await newOwner(), await newOwner()]
    const ofAnn = await verifiedDomain(service, ann)
    const [ofFormer, ofBob] = [await addDomain(former, ofAnn.name), await addDomain(bob, ofAnn.name)]
    dns.zone.set(ofBob.record.name, { txt: [ofAnn, ofFormer, ofBob].map(({ record }) => record.value) })
    assert.equal((await verify(bob, ofBob)).status, 200)

    assertProblem(await verify(former, ofFormer), 422, 'domain_record_not_found')
    const pending = await read(former, ofFormer)
    assert.equal(pending.status, 'pending')
    publish(dns, pending)
    assert.equal((await verify(former, pending)).status, 200)
  })

  it('writes to no row of the companies that have added it, however many there are', async () => {
    const [ann, bob] = [await newOwner(), await newOwner()]
    const ofBob = await addDomain(bob)
    const ofAnn = await addDomain(ann, ofBob.name)
    const rowOf = ({ id }: { id: string }) =>
      service.db.query('select xmin, company_domains.* from company_domains where id = $1', [id])
    const before = await rowOf(ofAnn)
    publish(dns, ofBob)
    assert.equal((await verify(bob, ofBob)).status, 200)
    assert.deepEqual(await rowOf(ofAnn), before)
    assert.equal((await read(bob, ofBob)).record.value, ofBob.record.value)
    assert.notEqual((await read(ann, ofAnn)).record.value, ofAnn.record.value)
  })

  it('is forgotten with its proofs when the last company has deleted it', async () => {
    const [ann, bob] = [await newOwner(), await newOwner()]
    const ofAnn = await verifiedDomain(service, ann)
    const ofBob = await addDomain(bob, ofAnn.name)
    publish(dns, ofBob)
    assert.equal((await verify(bob, ofBob)).status, 200)
    const proofs = () => service.db.query('select domain_id from domain_proofs where name = $1', [ofAnn.name])
    await bob.api.delete(`/companies/domains/${ofBob.id}`)
    assert.deepEqual(await proofs(), [{ domain_id: ofBob.id }])
    assertProblem(await verify(ann, ofAnn), 422, 'domain_record_not_found')
    await ann.api.delete(`/companies/domains/${ofAnn.id}`)
    assert.deepEqual(await proofs(), [])
  })

  it('goes to one of two companies that prove it at once', async () => {
    for (let round = 0; round < 5; round++) {
      const owners = [await newOwner(), await newOwner()]
      const name = anyDomain()
      const domains = [await addDomain(owners[0] as Person, name), await addDomain(owners[1] as Person, name)]
      for (const domain of domains) publish(dns, domain)

      const answers = await Promise.all(domains.map((domain, index) => verifyHeard(owners[index] as Person, domain)))

      const statuses = answers.map(({ status }) => status).sort()
      // Asked for after the other one was done, its record proves nothing any more.
      assert.ok(['200,409', '200,422'].includes(statuses.join()), JSON.stringify(answers.map(({ body }) => body)))
      for (const { status, body } of answers)
        assert.ok([undefined, 'domain_taken', 'domain_record_not_found'].includes(body.code), `${status} ${body.code}`)
      const held = await service.db.query(
        `select status from company_domains where name = $1 and status = 'verified'`,
        [name],
      )
      assert.equal(held.length, 1)
      const told = await Promise.all(owners.map((owner) => subjects(owner, 'domain_moved')))
      assert.deepEqual(told.flat(), [])
    }
  })

  it('is not verified in the answer to a check of the first one that waited for it', async () => {
    const ann = await newOwner()
    const ofAnn = await verifiedDomain(service, ann)
    await service.db.query('begin')
    await service.db.query(`update company_domains set status = 'lapsed', check_at = null where id = $1`, [ofAnn.id])
    const waiting = verify(ann, ofAnn)
    await service.db.waitForLock()
    await service.db.query('commit')
    assertProblem(await waiting, 409, 'domain_taken')
    assert.equal((await read(ann, ofAnn)).status, 'lapsed')
  })

  it('stays with the company that was done after the other one’s check began', async () => {
    const [ann, bob] = [await newOwner(), await newOwner()]
    const name = anyDomain()
    const [ofAnn, ofBob] = [await addDomain(ann, name), await addDomain(bob, name)]
    const { promise, resolve } = Promise.withResolvers<void>()
    dns.zone.set(ofBob.record.name, { txt: [ofAnn.record.value, ofBob.record.value], heldUntil: promise })
    const waiting = verify(bob, ofBob)
    await until(() => dns.asked.udp.includes(ofBob.record.name))
    dns.zone.set(ofBob.record.name, { txt: [ofAnn.record.value, ofBob.record.value] })

    assert.equal((await verify(ann, ofAnn)).status, 200)
    resolve()

    assertProblem(await waiting, 409, 'domain_taken')
    assert.equal((await read(ann, ofAnn)).status, 'verified')
    publish(dns, await read(bob, ofBob))
    assert.equal((await verify(bob, ofBob)).status, 200)
  })
})
