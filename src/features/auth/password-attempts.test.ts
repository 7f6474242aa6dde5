import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { countHashes } from '../../../test/support/hashes.ts'
import { anyEmail, assertProblem, PASSWORD, signUp } from '../../../test/support/people.ts'

// Tests send requests from many networks, as through a proxy.
const service = await useTestApp({ TRUST_PROXY: 'loopback' })

const tryFrom = (ip: string, email: string, password = 'Wrong-horse-7') =>
  service.client.post('/auth/login', { email, password }, { headers: { 'x-forwarded-for': ip } })

/** Ages the attempts of an address. */
const letTimePass = (email: string, interval: string) =>
  service.db.query(
    `update password_attempts set window_started_at = window_started_at - $2::interval, blocked_until = blocked_until - $2::interval where email = $1`,
    [email, interval],
  )

async function failTenTimes(email: string): Promise<void> {
  for (let i = 0; i < 10; i++) assertProblem(await tryFrom(`203.0.113.${i}`, email), 401, 'credentials_wrong')
}

it('refuses further attempts after ten failures from any networks, whether the account exists or not', async () => {
  const ann = await signUp(service.client)
  const answers = []
  for (const email of [ann.email, anyEmail()]) {
    await failTenTimes(email)
    const answer = await tryFrom('198.51.100.1', email, PASSWORD)
    assertProblem(answer, 429, 'too_many_attempts')
    assert.equal(Number(answer.headers.get('retry-after')) <= 30, true)
    answers.push(answer.body)
  }
  assert.deepEqual(answers[0], answers[1])
})

it('increases the waiting time from 30 seconds to an hour', async () => {
  const email = anyEmail()
  await failTenTimes(email)
  const waits = []
  for (let i = 0; i < 9; i++) {
    const refused = await tryFrom('198.51.100.2', email)
    waits.push(Number(refused.headers.get('retry-after')))
    await letTimePass(email, `${waits.at(-1)} seconds`)
    assertProblem(await tryFrom('198.51.100.2', email), 401, 'credentials_wrong')
  }
  assert.deepEqual(waits, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
})

it('knows no network of a client whose address the proxy does not tell, so a guess through it has to wait', async () => {
  const ann = await signUp(service.client.with({ headers: { 'x-forwarded-for': '203.0.113.5:4711' } }))
  assert.deepEqual(await service.db.query('select from known_networks where account_id = $1', [ann.id]), [])
  for (let i = 0; i < 10; i++) await tryFrom(`198.51.100.9:${i + 1}`, ann.email)
  assertProblem(await tryFrom('198.51.100.9:4712', ann.email, PASSWORD), 429, 'too_many_attempts')
})

it('never refuses the right password on networks from which the account signed in during the last 30 days', async () => {
  const ann = await signUp(service.client.with({ headers: { 'x-forwarded-for': '2001:db8:1:2::7' } }))
  await failTenTimes(ann.email)
  assertProblem(await tryFrom('2001:db8:1:3::7', ann.email, PASSWORD), 429, 'too_many_attempts')
  assert.equal((await tryFrom('2001:db8:1:2::8', ann.email, PASSWORD)).status, 200)
  await failTenTimes(ann.email)

  await service.db.query(
    `update known_networks set last_sign_in_at = now() - interval '31 days' where account_id = $1`,
    [ann.id],
  )
  assertProblem(await tryFrom('2001:db8:1:2::8', ann.email, PASSWORD), 429, 'too_many_attempts')
})

/** Status of each answer, whether it tells a short wait, and how many hashes it took. */
async function triesFrom(ip: string, email: string, passwords: string[]) {
  const counted = countHashes(service)
  const answers = []
  for (const password of passwords) {
    const { status, headers } = await tryFrom(ip, email, password)
    const isShort = Number(headers.get('retry-after')) <= 30
    answers.push({ status, isShort, hashes: counted.take() })
  }
  counted.restore()
  return answers
}

it('does not tell a network that accounts know which accounts they are', async () => {
  const here = '198.51.100.90'
  const ann = await signUp(service.client.with({ headers: { 'x-forwarded-for': here } }))
  const elsewhere = await signUp(service.client.with({ headers: { 'x-forwarded-for': '198.51.100.91' } }))
  const wrong = Array<string>(13).fill('Wrong-horse-7')
  const known = await triesFrom(here, ann.email, wrong)
  const [refused, blocked] = [401, 429].map((status) => ({ status, isShort: true, hashes: 2 }))
  assert.deepEqual(known, [...Array(10).fill(refused), blocked, blocked, blocked])
  for (const email of [elsewhere.email, anyEmail()]) assert.deepEqual(await triesFrom(here, email, wrong), known)
  // A right password takes as long as a wrong one where it opens nothing.
  assert.deepEqual(await triesFrom(here, elsewhere.email, [PASSWORD]), known.slice(-1))
  assert.deepEqual((await triesFrom(here, ann.email, [PASSWORD]))[0]?.status, 200)

  const long = `insert into password_attempts (email, failures, blocked_until) values ($1, 99, now() + interval '1 hour')
    on conflict (email) do update set blocked_until = excluded.blocked_until`
  for (const email of [ann.email, elsewhere.email]) {
    await service.db.query(long, [email])
    assert.deepEqual(await triesFrom(here, email, ['Wrong-horse-7']), [{ status: 429, isShort: true, hashes: 2 }])
  }
  assert.deepEqual(await triesFrom('198.51.100.99', ann.email, [PASSWORD]), [
    { status: 429, isShort: false, hashes: 0 },
  ])
})

it('knows only the network of the change after a password change', async () => {
  const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } })
  const ann = await signUp(service.client.with(from('198.51.100.20')))
  for (const ip of ['198.51.100.21', '198.51.100.66'])
    assert.equal((await tryFrom(ip, ann.email, PASSWORD)).status, 200)
  const bob = await signUp(service.client.with(from('198.51.100.66')))

  const change = { currentPassword: PASSWORD, newPassword: 'Another-horse-8' }
  assert.equal((await ann.api.with(from('198.51.100.21')).post('/auth/change-password', change)).status, 200)
  for (const { email } of [ann, bob]) await failTenTimes(email)
  for (const ip of ['198.51.100.66', '198.51.100.20'])
    assertProblem(await tryFrom(ip, ann.email, 'Another-horse-8'), 429, 'too_many_attempts')
  assert.equal((await tryFrom('198.51.100.21', ann.email, 'Another-horse-8')).status, 200)
  assert.equal((await tryFrom('198.51.100.66', bob.email, PASSWORD)).status, 200)
})

it('resets the counter on success and on a password reset', async () => {
  const ann = await signUp(service.client)
  await failTenTimes(ann.email)
  await letTimePass(ann.email, '31 seconds')
  assert.equal((await tryFrom('198.51.100.3', ann.email, PASSWORD)).status, 200)
  await failTenTimes(ann.email)

  await service.client.post('/auth/forgot-password', { email: ann.email })
  const token = await service.mailbox.token(ann.email, 'reset_password')
  await service.client.post('/auth/reset-password', { token, newPassword: 'Another-horse-8' })
  assert.equal((await tryFrom('198.51.100.4', ann.email, 'Another-horse-8')).status, 200)
})

it('resets the counter after 15 minutes', async () => {
  const email = anyEmail()
  for (let i = 0; i < 9; i++) await tryFrom('198.51.100.5', email)
  await letTimePass(email, '16 minutes')
  await failTenTimes(email)
})

it('checks at most ten of fifty parallel guesses', async () => {
  const email = anyEmail()
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => tryFrom(`192.0.2.${i}`, email)))
  assert.equal(answers.filter(({ status }) => status === 401).length, 10)
  assert.equal(answers.filter(({ status }) => status === 429).length, 40)
})

it('counts wrong current passwords in the same way', async () => {
  const ann = await signUp(service.client)
  const elsewhere = ann.api.with({ headers: { 'x-forwarded-for': '198.51.100.9' } })
  const change = { currentPassword: 'Wrong-horse-7', newPassword: 'Another-horse-8' }
  for (let i = 0; i < 10; i++)
    assertProblem(await elsewhere.post('/auth/change-password', change), 422, 'current_password_wrong')
  assertProblem(await elsewhere.post('/auth/change-password', change), 429, 'too_many_attempts')
})

it('counts them on a known network, too, where the right one is never refused', async () => {
  const ann = await signUp(service.client)
  const change = (currentPassword: string) =>
    ann.api.post('/auth/change-password', { currentPassword, newPassword: 'Another-horse-8' })
  for (let i = 0; i < 10; i++) assertProblem(await change('Wrong-horse-7'), 422, 'current_password_wrong')
  assertProblem(await change('Wrong-horse-7'), 429, 'too_many_attempts')
  assert.equal((await change(PASSWORD)).status, 200)
})
