import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addApp, challengeFor, confirmSignIn } from '../../../test/support/factors.ts'
import { assertProblem, signUp } from '../../../test/support/people.ts'
import { challengeToken } from '../../lib/secrets.ts'

// Tests send requests from many networks, as through a proxy.
const service = await useTestApp({ TRUST_PROXY: 'loopback' })
const { client, db, mailbox } = service

const CODES = 1000
const AT_ONCE = 50
const PER_CHALLENGE = 5

it('Of a thousand wrong codes from a thousand networks ten are looked at, and the owner waits and is told', async () => {
  const ann = await signUp(client)
  const app = await addApp(service, ann)
  const code = await app.unusedCode()
  const waiting = await challengeFor(client, ann)
  const challenges = await db.query<{ id: string }>(
    `insert into challenges (id, purpose, account_id, password_kind, credentials_version, network, expires_at)
     select gen_random_uuid(), 'sign_in', id, 'chosen', credentials_version, '192.0.2.1/32', now() + interval '5 minutes'
     from accounts, generate_series(1, $2) where id = $1 returning id`,
    [ann.id, CODES / PER_CHALLENGE],
  )
  const wrong = ['000000', '111111', '222222', '333333'].find(
    (each) => ![-1, 0, 1].some((step) => app.code(step) === each),
  )
  const guess = (nth: number) =>
    client.post(
      '/auth/login/second-factor',
      { challenge: challengeToken(service.keys, challenges[nth % challenges.length]?.id as string), code: wrong },
      { headers: { 'x-forwarded-for': `10.0.${nth >> 8}.${nth & 255}` } },
    )

  const statuses: Record<number, number> = {}
  for (let sent = 0; sent < CODES; sent += AT_ONCE)
    for (const { status } of await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => guess(sent + index))))
      statuses[status] = (statuses[status] ?? 0) + 1
  assert.deepEqual(statuses, { 401: 10, 429: CODES - 10 })

  assertProblem(await client.post('/auth/login/second-factor', { challenge: waiting, code }), 429, 'too_many_attempts')
  assert.equal((await mailbox.to(ann.email, 'second_factor_guessed')).length, 1)
  await db.query(
    `update second_factor_attempts set times = array(select t - interval '1 hour' from unnest(times) t) where account_id = $1`,
    [ann.id],
  )
  assert.equal((await confirmSignIn(client, ann, { code: await app.unusedCode() })).status, 200)
})
