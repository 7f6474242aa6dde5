import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addDomain,
  anyDomain,
  chooseJoining,
  useTestAppWithDns,
  verifiedDomain,
  verify,
} from '../../../test/support/domains.ts'
import { join, joinWith } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestAppWithDns()
const { dns } = service

const path = '/companies/domains'
const recordsOf = ({ company }: Person, action: string) =>
  service.db.query(
    `select actor_id, target_type, target_id, target_label, changes from audit_records
     where company_id = $1 and action = $2 and outcome = 'done' order by created_at, id`,
    [company.id, action],
  )

describe('a domain', () => {
  it('is added by an owner, with a record of its own to publish, and recorded', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    const name = anyDomain()

    const domain = await addDomain(ann, ` ${name.toUpperCase()} `)
    const same = await addDomain(bob, name)

    assert.deepEqual(domain, {
      id: domain.id,
      name,
      status: 'pending',
      record: { type: 'TXT', name: `_tenantry.${name}`, value: domain.record.value },
      joinPolicy: 'none',
      joinRoles: [],
      verified_at: null,
      checked_at: null,
      check_result: null,
      failing_since: null,
      created_at: (domain as unknown as { created_at: string }).created_at,
    })
    assert.match(domain.record.value, /^tenantry-domain=[0-9a-f]{32}$/)
    assert.notEqual(same.record.value, domain.record.value)
    assert.deepEqual((await ann.api.get(`${path}/${domain.id}`)).body.data, domain)
    const target = { target_type: 'domain', target_id: domain.id, target_label: name }
    assert.deepEqual(await recordsOf(ann, 'domains.create'), [{ actor_id: ann.id, ...target, changes: {} }])
  })

  it('has a name in the DNS that no mail provider or public suffix has', async () => {
    const ann = await signUp(service.client)
    for (const name of [
      'corp',
      'corp..example',
      '.corp.example',
      'corp.example.',
      '-corp.example',
      'corp-.example',
      'corp_x.example',
      'corp .example',
      'corp\0.example',
      'bücher.example',
      'corp．example',
      '\u212aelvin.example',
      '192.0.2.1',
      '[2001:db8::1]',
      'ann@corp.example',
      'https://corp.example',
      '*.corp.example',
      `${'a'.repeat(64)}.example`,
      `${'a.'.repeat(125)}example`,
      '',
      ' ',
    ])
      assertProblem(await ann.api.post(path, { name }), 400, 'validation_failed')
    for (const name of [
      'co.uk',
      'GMAIL.com',
      'outlook.com',
      'mail.yahoo.com',
      'github.io',
      'com.br',
      'kobe.jp',
      'x.ck',
      'proton.me',
    ])
      assertProblem(await ann.api.post(path, { name }), 422, 'domain_is_shared')
    for (const name of ['xn--bcher-kva.example', 'corp.co.uk', 'a.b.corp.example', 'corp.github.io', '1-2.example'])
      assert.equal((await ann.api.post(path, { name })).status, 201, name)
  })

  it('is one of at most 20, each of them once', async () => {
    const ann = await signUp(service.client)
    const first = await addDomain(ann)
    assertProblem(await ann.api.post(path, { name: first.name }), 409, 'domain_taken')
    for (let count = 1; count < 20; count++) await addDomain(ann)
    assertProblem(await ann.api.post(path, { name: anyDomain() }), 422, 'domain_limit_reached')

    assert.equal((await ann.api.delete(`${path}/${first.id}`)).status, 200)
    const answers = await Promise.all(Array.from({ length: 6 }, () => ann.api.post(path, { name: anyDomain() })))
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    const { total, data } = (await ann.api.get(`${path}?limit=5&sortDir=desc`)).body
    assert.equal(total, 20)
    const names = data.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, names.toSorted().reverse())
  })

  it('is seen with domains:read, and changed by owners alone, with a fresh session', async () => {
    const ann = await signUp(service.client)
    const domain = await addDomain(ann)
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    const reader = await joinWith(ann, await signUp(service.client), ['domains:read'])
    const member = await join(ann, await signUp(service.client))
    const writes = [
      (by: Person) => by.api.post(path, { name: anyDomain() }),
      (by: Person) => verify(by, domain),
      (by: Person) => by.api.patch(`${path}/${domain.id}`, { joinPolicy: 'auto' }),
      (by: Person) => by.api.delete(`${path}/${domain.id}`),
    ]
    for (const person of [admin, reader]) {
      assert.equal((await person.api.get(path)).body.total, 1)
      assert.equal((await person.api.get(`${path}/${domain.id}`)).status, 200)
      for (const write of writes) assertProblem(await write(person), 403, 'owner_only')
    }
    for (const read of [path, `${path}/${domain.id}`])
      assertProblem(await member.api.get(read), 403, 'permission_missing')
    for (const write of writes) assertProblem(await write(member), 403, 'permission_missing')

    await service.db.query(
      `update sessions set authenticated_at = now() - interval '11 minutes' where account_id = $1`,
      [ann.id],
    )
    for (const write of writes) assertProblem(await write(ann), 403, 'reauthentication_required')
    assert.equal((await ann.api.get(`${path}/${domain.id}`)).body.data.status, 'pending')
    assert.equal(dns.asked.udp.includes(domain.record.name), false)
  })

  it('does not exist for another company', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    const domain = await verifiedDomain(service, ann)
    for (const answer of [
      await bob.api.get(`${path}/${domain.id}`),
      await verify(bob, domain),
      await bob.api.patch(`${path}/${domain.id}`, { joinPolicy: 'auto' }),
      await bob.api.delete(`${path}/${domain.id}`),
      await ann.api.get(`${path}/${newId()}`),
    ])
      assertProblem(answer, 404, 'domain_not_found')
    assert.equal((await ann.api.get(`${path}/${domain.id}`)).body.data.status, 'verified')
    assert.equal((await bob.api.get(path)).body.total, 0)
  })

  it('is changed only in the state that its editor has seen', async () => {
    const ann = await signUp(service.client)
    const { id } = await addDomain(ann)
    const etag = (await ann.api.get(`${path}/${id}`)).headers.get('etag') as string
    const edit = (joinPolicy: string) =>
      ann.api.patch(`${path}/${id}`, { joinPolicy }, { headers: { 'if-match': etag } })

    assert.equal((await edit('request')).status, 200)
    assertProblem(await edit('auto'), 412, 'version_mismatch')
    assertProblem(
      await ann.api.delete(`${path}/${id}`, undefined, { headers: { 'if-match': etag } }),
      412,
      'version_mismatch',
    )
    const [change] = await recordsOf(ann, 'domains.update')
    assert.deepEqual(change?.changes, {
      join_policy: { from: 'none', to: 'request' },
      approved_by: { from: null, to: ann.email },
    })
  })

  it('is recorded also where another owner takes the place of who stood by how people join', async () => {
    const ann = await signUp(service.client)
    const bea = await join(ann, await signUp(service.client), ['Owner'])
    const carl = await join(ann, await signUp(service.client), ['Owner'])
    const domain = await verifiedDomain(service, ann, { joinPolicy: 'auto' })
    for (const person of [ann, bea, bea, carl]) await chooseJoining(person, domain, { joinPolicy: 'auto' })
    assert.equal((await ann.api.delete(`/companies/users/${carl.id}`)).status, 200)
    await chooseJoining(ann, domain, { joinPolicy: 'auto', joinRoleIds: [] })
    assert.deepEqual(
      (await recordsOf(ann, 'domains.update')).map(({ actor_id, changes }) => [actor_id, changes]),
      [
        [ann.id, { join_policy: { from: 'none', to: 'auto' }, approved_by: { from: null, to: ann.email } }],
        [bea.id, { approved_by: { from: ann.email, to: bea.email } }],
        [carl.id, { approved_by: { from: bea.email, to: carl.email } }],
        [ann.id, { join_policy: { from: 'request', to: 'auto' }, approved_by: { from: null, to: ann.email } }],
      ],
    )
  })

  it('is gone once it is deleted, and needs a new record when it is added again', async () => {
    const ann = await signUp(service.client)
    const domain = await verifiedDomain(service, ann)

    assert.deepEqual((await ann.api.delete(`${path}/${domain.id}`)).body.data, { id: domain.id })

    assertProblem(await ann.api.delete(`${path}/${domain.id}`), 404, 'domain_not_found')
    const [deletion] = await recordsOf(ann, 'domains.delete')
    assert.deepEqual(deletion?.changes, { status: { from: 'verified' } })
    const again = await addDomain(ann, domain.name)
    assert.notEqual(again.record.value, domain.record.value)
    assertProblem(await verify(ann, again), 422, 'domain_record_not_found')
  })
})
