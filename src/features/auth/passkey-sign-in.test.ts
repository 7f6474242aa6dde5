import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { useTestApp } from '../../../test/support/app.ts'
import { Authenticator, type Behavior } from '../../../test/support/authenticator.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { addPasskey, startPasskey, tryPasskey } from '../../../test/support/passkeys.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { disableAccount } from './disable-account.ts'

const service = await useTestApp()
const { client, db, mailbox } = service

const sessionsOf = async ({ id }: Person) =>
  (await db.query('select id from sessions where account_id = $1', [id])).length
const factorOf = async (id: string) =>
  (
    await db.query('select counter::float8, last_used_at, copied_at, backed_up from second_factors where id = $1', [id])
  )[0]
const refusalsOf = ({ id }: Person) =>
  db.query(
    `select id from audit_records where action = 'sessions.create' and outcome = 'second_factor_wrong' and target_id = $1`,
    [id],
  )
const withPasskey = async (hardware = false) => {
  const ann = await signUp(client)
  return { ann, ...(await addPasskey(service, ann, new Authenticator({ isHardware: hardware }))) }
}

describe('signing in with a passkey', () => {
  it('needs no address and no password, and opens a session with both factors', async () => {
    const { ann, id, authenticator } = await withPasskey()

    const answer = await tryPasskey(service, authenticator)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const { user, tenants, accessToken, refreshToken } = answer.body.data
    assert.deepEqual([user.id, tenants[0].id], [ann.id, ann.company.id])
    const { sid } = JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString())
    const [session] = await db.query(
      'select methods, second_factor_at is not null as both, must_change_password from sessions where id = $1',
      [sid],
    )
    assert.deepEqual(session, { methods: ['swk', 'user'], both: true, must_change_password: false })
    assert.equal((await client.post('/auth/refresh', { refreshToken })).status, 200)
    assert.ok((await factorOf(id))?.last_used_at)
    const records = await db.query(
      `select outcome from audit_records where action = 'sessions.create' and target_id = $1 and actor_id = $2`,
      [sid, ann.id],
    )
    assert.deepEqual(records, [{ outcome: 'done' }])
  })

  it('says whether the passkey is bound to one device', async () => {
    const { authenticator } = await withPasskey(true)
    const { accessToken } = (await tryPasskey(service, authenticator)).body.data
    const { sid } = JSON.parse(Buffer.from(accessToken.split('.')[1], 'base64url').toString())
    assert.deepEqual(await db.query('select methods from sessions where id = $1', [sid]), [
      { methods: ['hwk', 'user'] },
    ])
  })

  it('starts with the same for everyone', async () => {
    const { body } = await client.post('/auth/passkeys/options')
    const { challenge: _token, options } = body.data
    assert.match(options.challenge, /^[\w-]{43}$/)
    const rest = { rpId: 'app.example.com', timeout: 300_000, allowCredentials: [], userVerification: 'required' }
    assert.deepEqual(options, { challenge: options.challenge, ...rest })
  })

  it('can keep the session in a cookie', async () => {
    const { authenticator } = await withPasskey()
    const { challenge, options } = await startPasskey(service)
    const body = { challenge, credential: authenticator.get(options), sessionIn: 'cookie' }
    assertProblem(await client.post('/auth/passkeys/login', body), 403, 'origin_not_allowed')
    const headers = { origin: 'https://app.example.com' }
    const { status, body: signedIn, headers: answered } = await client.post('/auth/passkeys/login', body, { headers })
    assert.equal(status, 200)
    assert.equal(signedIn.data.refreshToken, undefined)
    assert.match(answered.get('set-cookie') ?? '', /^__Host-tenantry_refresh_token=[^;]+;.*HttpOnly/)
  })

  it('is repeated for the same Idempotency-Key, without a second session', async () => {
    const { ann, authenticator } = await withPasskey()
    const { challenge, options } = await startPasskey(service)
    const body = { challenge, credential: authenticator.get(options) }
    const headers = { 'idempotency-key': `k-${ann.id}` }
    const answers = [
      await client.post('/auth/passkeys/login', body, { headers }),
      await client.post('/auth/passkeys/login', body, { headers }),
    ]
    assert.deepEqual(answers[1]?.body, answers[0]?.body)
    assert.equal(await sessionsOf(ann), 2)
  })
})

describe('a passkey opens no session', () => {
  const dishonest: Record<string, Behavior> = {
    'used on another port': { origin: 'https://app.example.com:8443' },
    'used for another domain': { rpId: 'example.com' },
    'without its user verified': { isVerified: false },
    'with the handle of no account': { userHandle: Buffer.alloc(32).toString('base64url') },
    'without a handle': { userHandle: null },
  }
  for (const [name, behavior] of Object.entries(dishonest)) {
    it(name, async () => {
      const { ann, authenticator } = await withPasskey()
      assertProblem(await tryPasskey(service, authenticator, behavior), 401, 'second_factor_wrong')
      assert.equal(await sessionsOf(ann), 1)
      assert.equal((await refusalsOf(ann)).length, 1)
    })
  }

  it('whose answer was changed to say that its user was verified', async () => {
    const { ann, authenticator } = await withPasskey()
    const { challenge, options } = await startPasskey(service)
    const unverified = authenticator.get(options, { isVerified: false })
    const data = Buffer.from(unverified.response.authenticatorData, 'base64url')
    data.writeUInt8(data.readUInt8(32) | 4, 32)
    const response = { ...unverified.response, authenticatorData: data.toString('base64url') }
    const proof = { challenge, credential: { ...unverified, response } }
    assertProblem(await client.post('/auth/passkeys/login', proof), 401, 'second_factor_wrong')
    assert.deepEqual([await sessionsOf(ann), (await refusalsOf(ann)).length], [1, 1])
  })

  it('with the handle of another account', async () => {
    const { ann, authenticator } = await withPasskey()
    const { ann: bob, authenticator: other } = await withPasskey()
    const userHandle = other.passkeys[0]?.userHandle as string
    assertProblem(await tryPasskey(service, authenticator, { userHandle }), 401, 'second_factor_wrong')
    assert.deepEqual([await sessionsOf(ann), await sessionsOf(bob)], [1, 1])
  })

  it('that is not known', async () => {
    const { authenticator } = await withPasskey()
    await db.query('delete from second_factors where credential_id = $1', [authenticator.passkeys[0]?.id])
    assertProblem(await tryPasskey(service, authenticator), 401, 'second_factor_wrong')
  })

  it('twice by one signature, nor by another one for the same challenge', async () => {
    const { ann, authenticator } = await withPasskey()
    const { challenge, options } = await startPasskey(service)
    const attempts = [authenticator.get(options), authenticator.get(options)].flatMap((each) => [each, each])
    const answers = await Promise.all(
      attempts.map((credential) => client.post('/auth/passkeys/login', { challenge, credential })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401])
    assert.equal(await sessionsOf(ann), 2)
  })

  it('by a signature for another challenge', async () => {
    const { authenticator } = await withPasskey()
    const [first, second] = [await startPasskey(service), await startPasskey(service)]
    const swapped = { challenge: first.challenge, credential: authenticator.get(second.options) }
    assertProblem(await client.post('/auth/passkeys/login', swapped), 401, 'second_factor_wrong')
  })

  it('by a challenge that has expired, was made up, or is a link', async () => {
    const { authenticator } = await withPasskey()
    const { challenge, options } = await startPasskey(service)
    const credential = authenticator.get(options)
    await db.query(`update challenges set expires_at = now() where webauthn = $1`, [
      Buffer.from(options.challenge, 'base64url'),
    ])
    const made = Buffer.alloc(40, 1).toString('base64url')
    for (const token of [challenge, made, 'x', `${challenge}=`])
      assertProblem(
        await client.post('/auth/passkeys/login', { challenge: token, credential }),
        401,
        'second_factor_wrong',
      )
  })

  it('of a disabled account', async () => {
    const { ann, authenticator } = await withPasskey()
    await disableAccount(service.database, OPERATOR, ann.id, { notifies: false })
    assertProblem(await tryPasskey(service, authenticator), 401, 'second_factor_wrong')
    assert.equal(await sessionsOf(ann), 1)
  })

  it('by a body that is not a credential, in whatever way', async () => {
    const { authenticator } = await withPasskey()
    const { options } = await startPasskey(service)
    const good = authenticator.get(options)
    const long = 'A'.repeat(1366)
    const wrong: [unknown, number][] = [
      [{ ...good, id: long, rawId: long }, 401],
      [{ ...good, rawId: 'AAAA' }, 401],
      [{ ...good, id: `${good.id}A` }, 401],
      [{ ...good, id: 'A'.repeat(2049) }, 400],
      [{ ...good, type: 'password' }, 400],
      [{ ...good, response: null }, 400],
      [{ ...good, response: [] }, 400],
      [{ ...good, response: { ...good.response, signature: {} } }, 400],
      [{ ...good, response: { ...good.response, clientDataJSON: 'A'.repeat(9000) } }, 400],
      [{ ...good, response: { ...good.response, clientDataJSON: 'bnVsbA' } }, 401],
      [{ ...good, response: { ...good.response, authenticatorData: 'AAAA' } }, 401],
      [JSON.parse('{"__proto__":{"id":"x"},"constructor":{"prototype":{}}}'), 400],
      [null, 400],
    ]
    for (const [credential, status] of wrong) {
      const { challenge } = await startPasskey(service)
      const answer = await client.post('/auth/passkeys/login', { challenge, credential })
      assert.equal(answer.status, status, JSON.stringify([credential, answer.body]).slice(0, 300))
    }
  })
})

it('whatever stands in a credential is refused, and never a fault of the service', async () => {
  const { ann, authenticator } = await withPasskey()
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((value) => Buffer.from(value).toString('base64url'))
  const text = fc.oneof(
    bytes,
    fc.json().map((json) => Buffer.from(json || ' ').toString('base64url')),
    fc.string(),
  )
  const fields = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'] as const
  const changes = fc.record(
    Object.fromEntries(
      [...fields, 'id'].map((name) => [name, fc.oneof(text, fc.jsonValue() as fc.Arbitrary<unknown>)]),
    ),
    { requiredKeys: [], noNullPrototype: true },
  )
  await fc.assert(
    fc.asyncProperty(changes, async ({ id, ...response }) => {
      fc.pre(id !== undefined || Object.keys(response).length > 0)
      const { challenge, options } = await startPasskey(service)
      const good = authenticator.get(options)
      const changed = {
        ...good,
        ...(id !== undefined && { id, rawId: id }),
        response: { ...good.response, ...response },
      }
      const { status } = await client.post('/auth/passkeys/login', { challenge, credential: changed })
      assert.ok(status === 400 || status === 401, `${status}`)
    }),
    { numRuns: 150 },
  )
  assert.equal(await sessionsOf(ann), 1)
})

describe('a passkey whose counter goes back', () => {
  it('is refused and marked, its owner is told, and the real one goes on', async () => {
    const { ann, id, authenticator } = await withPasskey(true)
    assert.equal((await tryPasskey(service, authenticator)).status, 200)
    assert.equal((await factorOf(id))?.counter, 2)
    for (const counter of [2, 1, 0])
      assertProblem(await tryPasskey(service, authenticator, { counter }), 401, 'second_factor_wrong')

    const { counter, copied_at } = (await factorOf(id)) as { counter: number; copied_at: string | null }
    assert.equal(counter, 2)
    assert.ok(copied_at)
    assert.equal(await sessionsOf(ann), 2)
    const emails = await mailbox.to(ann.email, 'passkey_copied')
    assert.equal(emails.length, 3)
    assert.match(emails.at(-1)?.text ?? '', /Your passkey for Tenantry called Key was used/)
    assert.equal((await tryPasskey(service, authenticator, { counter: 9 })).status, 200)
  })

  it('is judged by 32 bits without a sign', async () => {
    const { ann, id, authenticator } = await withPasskey(true)
    const most = 2 ** 32 - 1
    for (const counter of [2 ** 31 - 1, 2 ** 31, most])
      assert.equal((await tryPasskey(service, authenticator, { counter })).status, 200, `${counter}`)
    assertProblem(await tryPasskey(service, authenticator, { counter: most }), 401, 'second_factor_wrong')
    assert.equal((await factorOf(id))?.counter, most)
    assert.equal(await sessionsOf(ann), 4)
  })

  it('is judged by a good signature alone', async () => {
    const { ann, id, authenticator } = await withPasskey(true)
    const { challenge, options } = await startPasskey(service)
    const forged = authenticator.get(options, { counter: 0 })
    const data = Buffer.from(forged.response.authenticatorData, 'base64url')
    data.writeUInt32BE(1, 33)
    const response = { ...forged.response, authenticatorData: data.toString('base64url') }
    assertProblem(
      await client.post('/auth/passkeys/login', { challenge, credential: { ...forged, response } }),
      401,
      'second_factor_wrong',
    )
    assert.equal((await factorOf(id))?.copied_at, null)
    assert.deepEqual(await mailbox.to(ann.email, 'passkey_copied'), [])
  })
})
