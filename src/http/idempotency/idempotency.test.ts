import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp, type TestApp, useTestApp } from '../../../test/support/app.ts'
import type { Answer } from '../../../test/support/client.ts'
import { addMember, join } from '../../../test/support/members.ts'
import {
  anyEmail,
  assertProblem,
  PASSWORD,
  type Person,
  registration,
  signIn,
  signUp,
} from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()
const ann = await signUp(service.client)
const bob = await signUp(service.client)

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })
const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'
const newMember = () => ({ name: 'New Member', email: anyEmail() })
const company = (taxId = 'T') => ({ name: `Retried ${newId()}`, taxId })

async function count(text: string, values: unknown[] = []): Promise<number> {
  const [row] = await service.db.query<{ count: number }>(`select count(*)::int as count from ${text}`, values)
  return row?.count ?? 0
}

const membersOf = (person: Person) => count('memberships where company_id = $1', [person.company.id])

describe('a request that is repeated with its Idempotency-Key', () => {
  it('gets the first answer and status again, and has no second effect', async () => {
    const key = newId()
    const body = newMember()
    const first = await ann.api.post('/companies/users', body, withKey(key))
    const members = await membersOf(ann)
    const again = await ann.api.post('/companies/users', body, withKey(key))
    assert.equal(first.status, 201)
    assert.deepEqual([again.status, again.body], [201, first.body])
    assert.deepEqual([isReplay(first), isReplay(again)], [false, true])
    assert.equal(await membersOf(ann), members)
    assert.equal((await service.mailbox.to(body.email)).length, 1)
  })

  it('is executed again without a key or with another key', async () => {
    const body = company()
    for (const options of [{}, withKey(newId()), withKey(newId())]) {
      const answer = await ann.api.post('/companies', { ...body, slug: `s-${newId()}` }, options)
      assert.deepEqual([answer.status, isReplay(answer)], [201, false])
    }
  })

  it('is replayed for every method, for members, accounts and anonymous callers', async () => {
    const { id } = await addMember(ann)
    const newcomer = registration()
    const requests: (() => Promise<Answer>)[] = [
      () => ann.api.patch(`/companies/users/${id}`, { phone: '1' }, withKey('patch')),
      () => ann.api.delete(`/companies/users/${id}`, undefined, withKey('delete')),
      () => ann.api.put('/auth/profile', { phone: '2' }, withKey('put')),
      () => ann.api.post('/companies', { name: 'Once', taxId: 'T', slug: `once-${id}` }, withKey('post')),
      () => service.client.post('/auth/register', newcomer, withKey('register')),
      () => service.client.post('/auth/login', { email: bob.email, password: PASSWORD }, withKey('login')),
    ]
    for (const send of requests) {
      const first = await send()
      const again = await send()
      assert.ok(first.status < 300, JSON.stringify(first.body))
      assert.deepEqual([again.status, again.body], [first.status, first.body])
      assert.deepEqual([isReplay(first), isReplay(again)], [false, true])
    }
    assert.equal(await count('accounts where email = $1', [newcomer.email]), 1)
  })

  it('has one effect with twenty parallel requests', async () => {
    for (let round = 0; round < 5; round++) {
      const body = newMember()
      const key = newId()
      const before = await membersOf(ann)
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ann.api.post('/companies/users', body, withKey(key))),
      )
      for (const answer of answers) if (answer.status !== 201) assertProblem(answer, 409, 'request_in_progress')
      const done = answers.filter(({ status }) => status === 201)
      assert.equal(done.filter((answer) => !isReplay(answer)).length, 1)
      assert.equal(new Set(done.map(({ body }) => JSON.stringify(body))).size, 1)
      assert.equal(await membersOf(ann), before + 1)
      const late = await ann.api.post('/companies/users', body, withKey(key))
      assert.deepEqual([late.status, isReplay(late), late.body], [201, true, done[0]?.body])
    }
  })

  it('creates one company with twenty parallel requests without a slug', async () => {
    const body = company()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => bob.api.post('/companies', body, withKey('twenty'))),
    )
    assert.ok(answers.every(({ status }) => status === 201 || status === 409))
    assert.equal(await count('companies where name = $1', [body.name]), 1)
  })

  it('is 409 with Retry-After while the first is in progress', async () => {
    await service.db.query('begin')
    await service.db.query('select from companies where id = $1 for no key update', [ann.company.id])
    const body = newMember()
    const first = ann.api.post('/companies/users', body, withKey('slow'))
    await service.db.waitForLock()
    const second = await ann.api.post('/companies/users', body, withKey('slow'))
    await service.db.query('commit')
    assertProblem(second, 409, 'request_in_progress')
    assert.equal(second.headers.get('retry-after'), '1')
    const late = await first
    assert.equal(late.status, 201, JSON.stringify([late.body, service.logged.slice(-3)]))
  })

  it('is refused with another body, path or company', async () => {
    const other = await join(bob, ann, ['Admin'])
    const body = newMember()
    assert.equal((await ann.api.post('/companies/users', body, withKey('same'))).status, 201)
    for (const answer of [
      await ann.api.post('/companies/users', { ...body, phone: '5' }, withKey('same')),
      await ann.api.post('/companies', { name: 'X', taxId: 'T' }, withKey('same')),
      await ann.api.patch(`/companies/users/${bob.id}`, body, withKey('same')),
      await other.api.post('/companies/users', body, withKey('same')),
    ])
      assertProblem(answer, 422, 'idempotency_key_reused')
  })

  it('ignores the order of fields, whitespace and unknown fields', async () => {
    const { name, email } = newMember()
    assert.equal((await ann.api.post('/companies/users', { name, email }, withKey('spelling'))).status, 201)
    const again = await ann.api.post('/companies/users', { email: ` ${email} `, x: 1, name }, withKey('spelling'))
    assert.ok(isReplay(again))
  })

  it('belongs to its account: the same key of another account is another key', async () => {
    const [one, two] = [newMember(), newMember()]
    assert.equal((await ann.api.post('/companies/users', one, withKey('shared'))).status, 201)
    const other = await bob.api.post('/companies/users', two, withKey('shared'))
    assert.deepEqual([other.status, isReplay(other)], [201, false])
  })

  it('replays nothing for another password, which counts as another attempt', async () => {
    const { email } = await signUp(service.client)
    const send = (password: string) => service.client.post('/auth/login', { email, password }, withKey('guess'))
    assert.equal((await send(PASSWORD)).status, 200)
    for (let tries = 0; tries < 3; tries++) assertProblem(await send(`Wrong-horse-${tries}`), 401, 'credentials_wrong')
    assert.equal(
      (await service.db.query('select failures from password_attempts where email = $1', [email]))[0]?.failures,
      3,
    )
    assert.ok(isReplay(await send(PASSWORD)))
  })

  it('may contain undeclared values of any depth', async () => {
    const { id } = await addMember(ann)
    const raw = `${'{"a":'.repeat(15_000)}1${'}'.repeat(15_000)}`
    const headers = { 'idempotency-key': 'deep', 'content-type': 'application/json' }
    const first = await ann.api.delete(`/companies/users/${id}`, undefined, { raw, headers })
    assert.equal(first.status, 200)
    assert.ok(isReplay(await ann.api.delete(`/companies/users/${id}`, undefined, withKey('deep'))))
  })

  it('is executed again with another If-Match, and after a failed If-Match', async () => {
    const { id } = await addMember(ann)
    const path = `/companies/users/${id}`
    const change = (tag: string, key: string) =>
      ann.api.patch(path, { phone: '1' }, { headers: { 'if-match': tag, 'idempotency-key': key } })
    const tag = (await ann.api.get(path)).headers.get('etag') as string
    assertProblem(await change('"old"', 'tagged'), 412, 'version_mismatch')
    assert.equal((await change(tag, 'tagged')).status, 200)
    assertProblem(await change('"old"', 'tagged'), 422, 'idempotency_key_reused')
  })

  it('of a sign-in gets the same tokens while they are valid, and new ones afterwards', async () => {
    const eve = await signUp(service.client)
    const send = (password = PASSWORD) =>
      service.client.post('/auth/login', { email: eve.email, password }, withKey('in'))
    const first = await send()
    assert.deepEqual((await send()).body, first.body)
    const { refreshToken } = first.body.data
    assert.equal((await service.client.post('/auth/refresh', { refreshToken })).status, 200)
    const renewed = await send()
    assert.deepEqual([renewed.status, isReplay(renewed)], [200, false])
    assert.notEqual(renewed.body.data.refreshToken, refreshToken)

    const password = { currentPassword: PASSWORD, newPassword: 'Another-horse-8' }
    assert.equal((await eve.api.post('/auth/change-password', password)).status, 200)
    assertProblem(await send(), 401, 'credentials_wrong')
  })

  it('is replayed also when it ended the access: deleting, leaving, detaching the own account', async () => {
    const [eve, carl, dora] = [await signUp(service.client), await signUp(service.client), await signUp(service.client)]
    const [leaving, detaching] = [await join(eve, carl), await join(eve, dora, ['Admin'])]
    const company = `/companies/${eve.company.id}`
    const requests: (() => Promise<Answer>)[] = [
      () => leaving.api.post(`${company}/leave`, undefined, withKey('leave')),
      () => detaching.api.delete(`/companies/users/${dora.id}`, undefined, withKey('detach')),
      () => eve.api.delete(company.toUpperCase().replace('/COMPANIES', '/companies'), undefined, withKey('close')),
    ]
    for (const send of requests) {
      const first = await send()
      const again = await send()
      assert.deepEqual([first.status, again.status, again.body], [200, 200, first.body])
      assert.deepEqual([isReplay(first), isReplay(again)], [false, true])
    }
    for (const options of [{}, withKey('another')])
      assertProblem(await leaving.api.post(`${company}/leave`, undefined, options), 404, 'company_not_found')
    assertProblem(await carl.api.delete(company, undefined, withKey('leave')), 404, 'company_not_found')
    assertProblem(await ann.api.delete(company, undefined, withKey('close')), 404, 'company_not_found')
  })

  it('is not replayed once its sender has lost the access', async () => {
    const carl = await join(ann, await signUp(service.client), ['Manager'])
    const body = newMember()
    const send = () => carl.api.post('/companies/users', body, withKey('demoted'))
    assert.equal((await send()).status, 201)
    await ann.api.patch(`/companies/users/${carl.id}`, { status: 'inactive' })
    assertProblem(await send(), 403, 'not_a_member')
    await service.client.post('/auth/logout', { refreshToken: carl.refreshToken }, { token: carl.accessToken })
    assertProblem(await send(), 401, 'token_invalid')
  })
})

describe('a stored response', () => {
  it('includes refusals by rules, even when the rule would decide otherwise now', async () => {
    const { email } = await addMember(ann)
    const send = () => ann.api.post('/companies/users', { name: 'Twice', email }, withKey('refused'))
    const first = await send()
    assertProblem(first, 409, 'already_member')
    await service.db.query('delete from memberships where email = $1', [email])
    const again = await send()
    assert.deepEqual([again.status, again.body, isReplay(again)], [409, first.body, true])
    assert.match(again.headers.get('content-type') ?? '', /^application\/json/)
  })

  it('excludes refusals by access and limits, and malformed requests', async () => {
    const dora = await join(ann, await signUp(service.client))
    const body = newMember()
    assertProblem(await dora.api.post('/companies/users', body, withKey('later')), 403, 'permission_missing')
    const forged = { name: 'Dora', email: 'no address' }
    assertProblem(await ann.api.post('/companies/users', forged, withKey('read')), 400, 'validation_failed')
    assert.equal((await ann.api.post('/companies/users', newMember(), withKey('read'))).status, 201)
    await service.db.query(
      `update membership_roles set role_id = (select id from roles where company_id = $1 and system_key = 'admin')
       where company_id = $1 and account_id = $2`,
      [ann.company.id, dora.id],
    )
    assert.equal((await dora.api.post('/companies/users', body, withKey('later'))).status, 201)
  })

  it('is encrypted in the database: no name, password, token or key is readable', async () => {
    const { accessToken, refreshToken } = await signIn(service.client, ann.email)
    const details = registration({ name: 'Legible Name' })
    const signedUp = await service.client.post('/auth/register', details, withKey('legible-key'))
    assert.equal(signedUp.status, 201)
    const rows = await service.db.query('select * from idempotent_requests')
    assert.ok(rows.length > 0)
    const everything = rows
      .flatMap((row) => Object.values(row))
      .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
      .join('\n')
    for (const secret of [
      'legible-key',
      'Legible Name',
      details.email,
      details.password,
      accessToken,
      refreshToken,
      signedUp.body.data.accessToken,
      signedUp.body.data.refreshToken,
    ])
      assert.ok(!everything.includes(secret), secret)
  })

  it('is committed with the change: a lost reservation rolls the change back', async () => {
    await service.db.query('begin')
    await service.db.query('select from companies where id = $1 for no key update', [ann.company.id])
    const body = newMember()
    const under = ann.api.post('/companies/users', body, withKey('lost'))
    await service.db.waitForLock()
    await service.db.query('delete from idempotent_requests where status is null')
    await service.db.query('commit')
    assertProblem(await under, 409, 'request_in_progress')
    assert.equal(await count('accounts where email = $1', [body.email]), 0)
    assert.equal((await ann.api.post('/companies/users', body, withKey('lost'))).status, 201)
  })

  it('can be written a minute after the process of the first request died, by the same request only', async () => {
    const body = newMember()
    assert.equal((await ann.api.post('/companies/users', body, withKey('died'))).status, 201)
    const died = `update idempotent_requests set status = null, response = null, claimed_until = now() + interval '50 seconds'
      where created_at = (select max(created_at) from idempotent_requests)`
    await service.db.query(died)
    assertProblem(await ann.api.post('/companies/users', body, withKey('died')), 409, 'request_in_progress')
    await service.db.query(
      `update idempotent_requests set claimed_until = now() - interval '1 second' where status is null`,
    )
    assertProblem(await ann.api.post('/companies/users', newMember(), withKey('died')), 422, 'idempotency_key_reused')
    assertProblem(await ann.api.post('/companies/users', body, withKey('died')), 409, 'already_member')
  })

  it('expires after a day', async () => {
    assert.equal((await ann.api.post('/companies/users', newMember(), withKey('day'))).status, 201)
    await service.db.query(`update idempotent_requests set created_at = now() - interval '24 hours 1 second'`)
    const next = await ann.api.post('/companies/users', newMember(), withKey('day'))
    assert.deepEqual([next.status, isReplay(next)], [201, false])
  })

  it('is the same request on a node that signs with another APP_SECRET, also where the key stands for the body alone', async () => {
    const [APP_SECRET, APP_SECRET_PREVIOUS] = [
      'the-first-secret-of-32-characters-or-more',
      'the-second-secret-of-32-chars-or-more',
    ]
    const one = await startTestApp({ APP_SECRET, APP_SECRET_PREVIOUS })
    const other = await startTestApp({ APP_SECRET: APP_SECRET_PREVIOUS, APP_SECRET_PREVIOUS: APP_SECRET }, one.db)
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as const) {
      const [details, key] = [registration(), withKey(newId())]
      const signedUp = await first.client.post('/auth/register', details, key)
      const again = await second.client.post('/auth/register', details, key)
      assert.deepEqual([again.status, again.body, isReplay(again)], [201, signedUp.body, true])

      const options = { ...key, token: signedUp.body.data.accessToken }
      const change = ({ client }: TestApp) =>
        client.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: 'Another-horse-8' }, options)
      assert.equal((await change(first)).status, 200)
      const repeated = await change(second)
      assert.deepEqual([repeated.status, isReplay(repeated)], [200, true])
    }
    await other.close()
    await one.close()
  })
})

describe('an Idempotency-Key', () => {
  it('is refused when it is malformed', async () => {
    for (const key of ['', ' ', 'two words', 'x'.repeat(256), 'ümlaut', 'a, b'])
      assertProblem(
        await ann.api.post('/companies/users', newMember(), { headers: { 'idempotency-key': key } }),
        400,
        'idempotency_key_malformed',
      )
    assert.equal((await ann.api.post('/companies/users', newMember(), withKey('x'.repeat(255)))).status, 201)
  })

  it('is ignored for a GET', async () => {
    for (let i = 0; i < 2; i++) {
      const answer = await ann.api.get('/companies/users', withKey('get'))
      assert.deepEqual([answer.status, isReplay(answer)], [200, false])
    }
  })

  it('for a refresh returns the same pair until that is exchanged', async () => {
    const { refreshToken } = await signUp(service.client)
    const first = await service.client.post('/auth/refresh', { refreshToken }, withKey('refresh'))
    const again = await service.client.post('/auth/refresh', { refreshToken }, withKey('refresh'))
    assert.deepEqual([again.status, again.body.data], [200, first.body.data])
    assert.deepEqual([isReplay(first), isReplay(again)], [false, true])
  })
})
