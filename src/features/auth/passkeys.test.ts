import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { Authenticator, type Behavior } from '../../../test/support/authenticator.ts'
import type { Answer } from '../../../test/support/client.ts'
import { addApp, ageProofs, confirmMailbox, signUpVerified } from '../../../test/support/factors.ts'
import {
  addPasskey,
  challengeForPasskey,
  startAdding,
  startPasskey,
  tryPasskey,
  tryToAdd,
} from '../../../test/support/passkeys.ts'
import { assertProblem, PASSWORD, type Person, signIn } from '../../../test/support/people.ts'
import type { PasskeyRequestOptions } from '../../lib/passkey-requests.ts'

const service = await useTestApp()
const { client, db, mailbox } = service

const newPerson = () => signUpVerified(service)
const factorsOf = async ({ api }: Pick<Person, 'api'>) => (await api.get('/auth/factors')).body.data
const recordsOf = ({ id }: Person) =>
  db.query(
    `select action, outcome, changes from audit_records where actor_id = $1 and action like 'factors.%' order by id`,
    [id],
  )

describe('adding a passkey', () => {
  it('makes it a second factor, raises this session alone, gives recovery codes and tells the owner', async () => {
    const ann = await newPerson()
    const other = await signIn(client, ann.email)
    const { challenge, options } = await startAdding(ann)
    assert.deepEqual(
      { ...options },
      {
        challenge: options.challenge,
        rp: { id: 'app.example.com', name: 'Tenantry' },
        user: { id: options.user.id, name: ann.email, displayName: ann.name },
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
        timeout: 300_000,
        attestation: 'none',
        excludeCredentials: [],
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      },
    )
    assert.equal(Buffer.from(options.user.id, 'base64url').length, 32)

    const credential = new Authenticator().create(options)
    const { status, body } = await ann.api.post('/auth/factors/passkeys', { challenge, credential, name: 'Phone' })
    assert.equal(status, 201, JSON.stringify(body))
    const { factor, recoveryCodes } = body.data
    assert.deepEqual([factor.kind, factor.name, factor.synced, factor.copied_at], ['passkey', 'Phone', true, undefined])
    assert.equal(recoveryCodes.length, 10)
    assert.deepEqual(await factorsOf(ann), { ...(await factorsOf(ann)), factors: [factor], recoveryCodesLeft: 10 })

    const proved = await db.query(
      `select second_factor_ids from sessions where id = any ($1) order by second_factor_at nulls last`,
      [[ann.sessionId, other.sessionId]],
    )
    assert.deepEqual(
      proved.map(({ second_factor_ids }) => second_factor_ids),
      [[factor.id], []],
    )
    assert.match((await mailbox.to(ann.email, 'second_factor_added')).at(-1)?.text ?? '', /Phone/)
    assert.deepEqual((await recordsOf(ann)).at(-1), {
      action: 'factors.confirm',
      outcome: 'done',
      changes: { factor: { to: 'passkey' }, name: { to: 'Phone' } },
    })
    assertProblem(await other.api.post('/auth/factors/passkeys/options', {}), 403, 'reauthentication_required')
  })

  it('leaves neither its id nor what it signed in the log, the audit log, emails and stored responses', async () => {
    const ann = await newPerson()
    const { challenge, options } = await startAdding(ann)
    const credential = new Authenticator().create(options)
    const body = { challenge, credential, name: 'Key' }
    const headers = { 'idempotency-key': `key-of-${ann.id}` }
    assert.equal((await ann.api.post('/auth/factors/passkeys', body, { headers })).status, 201)
    const id = Buffer.from(credential.id, 'base64url')
    const needles = [credential.id, id.toString('hex'), id.toString('base64'), challenge, options.challenge]
    for (const table of ['audit_records', 'emails', 'idempotent_requests', 'challenges']) {
      const rows = await db.query(`select t::text as text from ${table} t`)
      for (const needle of needles) assert.ok(!rows.some(({ text }) => text.includes(needle)), `${table} has ${needle}`)
    }
    for (const needle of needles) assert.ok(!service.logged.some((line) => line.includes(needle)), 'the log')
  })

  it('names the passkeys that there are, with one handle for all of them', async () => {
    const ann = await newPerson()
    const first = await startAdding(ann)
    const { authenticator } = await addPasskey(service, ann)
    const { options } = await startAdding(ann)
    const id = authenticator.passkeys[0]?.id.toString('base64url')
    assert.deepEqual(options.excludeCredentials, [{ type: 'public-key', id, transports: ['internal', 'hybrid'] }])
    assert.equal(options.user.id, first.options.user.id)
    assert.notEqual(options.challenge, first.options.challenge)
  })

  it('gives no more codes with the second one, and it works like the first', async () => {
    const ann = await newPerson()
    const first = await addPasskey(service, ann)
    const second = await addPasskey(service, ann, new Authenticator({ algorithm: 'EdDSA', isHardware: true }))
    assert.deepEqual([first.recoveryCodes.length, second.recoveryCodes.length], [10, 0])
    for (const { authenticator } of [first, second])
      assert.equal((await tryPasskey(service, authenticator)).status, 200)
  })

  it('stops at twenty, also for twenty at once', async () => {
    const ann = await newPerson()
    await addPasskey(service, ann)
    const started = []
    for (let i = 0; i < 21; i++) started.push(await startAdding(ann))
    const answers = await Promise.all(
      started.map(({ challenge, options }) =>
        ann.api.post('/auth/factors/passkeys', { challenge, credential: new Authenticator().create(options) }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(19).fill(201), 422, 422])
    assertProblem(await ann.api.post('/auth/factors/passkeys/options', {}), 422, 'factor_limit_reached')
    assert.equal((await factorsOf(ann)).factors.length, 20)
  })

  it('is repeated for the same Idempotency-Key until a code was used', async () => {
    const ann = await newPerson()
    const { challenge, options } = await startAdding(ann)
    const body = { challenge, credential: new Authenticator().create(options), name: 'Key' }
    const send = () => ann.api.post('/auth/factors/passkeys', body, { headers: { 'idempotency-key': `add-${ann.id}` } })
    const first = await send()
    assert.equal(first.status, 201)
    assert.deepEqual((await send()).body, first.body)
    await db.query('update recovery_codes set used_at = now() where account_id = $1', [ann.id])
    assertProblem(await send(), 409, 'idempotent_response_expired')
    assert.equal((await factorsOf(ann)).factors.length, 1)
  })
})

describe('no passkey is added', () => {
  const dishonest: Record<string, Behavior> = {
    'on another page': { origin: 'https://evil.example' },
    'for another domain': { rpId: 'evil.example' },
    'without its user verified': { isVerified: false },
    'in the frame of another page': { clientData: { crossOrigin: true } },
    'by a signature instead': { type: 'webauthn.get' },
  }
  for (const [name, behavior] of Object.entries(dishonest)) {
    it(name, async () => {
      const ann = await newPerson()
      assertProblem(await tryToAdd(ann, new Authenticator(), behavior), 401, 'second_factor_wrong')
      assert.deepEqual((await factorsOf(ann)).factors, [])
    })
  }

  it('that an account has already, this one or another', async () => {
    const [ann, bob] = [await newPerson(), await newPerson()]
    const { authenticator } = await addPasskey(service, ann)
    const [passkey] = authenticator.passkeys
    for (const person of [ann, bob]) {
      const { challenge, options } = await startAdding(person)
      const credential = new Authenticator().create(options, { id: passkey?.id as Buffer })
      assertProblem(await person.api.post('/auth/factors/passkeys', { challenge, credential }), 409, 'passkey_known')
    }
    assert.equal((await factorsOf(bob)).factors.length, 0)
    assert.equal((await tryPasskey(service, authenticator)).body.data.user.id, ann.id)
  })

  it('by the challenge of another session, another account or another purpose, nor twice by one', async () => {
    const ann = await newPerson()
    const [other, bob] = [await signIn(client, ann.email), await newPerson()]
    await confirmMailbox(service, ann)
    const wrong = [await startAdding(other), await startAdding(bob), await startPasskey(service)]
    const good = await startAdding(ann)
    const credential = new Authenticator().create(good.options)
    for (const { challenge, options } of wrong) {
      const forIt = new Authenticator().create({ ...good.options, challenge: options.challenge })
      const answer = await ann.api.post('/auth/factors/passkeys', { challenge, credential: forIt })
      assertProblem(answer, 401, 'second_factor_wrong')
    }
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        ann.api.post('/auth/factors/passkeys', { challenge: good.challenge, credential, name: 'Key' }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 401, 401])
    // What was asked for an addition opens nothing else.
    const started = await startAdding(ann)
    const authenticator = new Authenticator()
    authenticator.create(started.options)
    const assertion = authenticator.get({ rpId: 'app.example.com', challenge: started.options.challenge })
    const body = { challenge: started.challenge, credential: assertion }
    assertProblem(await client.post('/auth/passkeys/login', body), 401, 'second_factor_wrong')
    assertProblem(await ann.api.post('/auth/step-up', body), 401, 'second_factor_wrong')
  })

  it('in a session that has proved nothing lately, or was revoked meanwhile', async () => {
    const ann = await newPerson()
    const started = await startAdding(ann)
    const credential = new Authenticator().create(started.options)
    const body = { challenge: started.challenge, credential }
    await ageProofs(service, ann)
    assertProblem(await ann.api.post('/auth/factors/passkeys/options', {}), 403, 'reauthentication_required')
    assertProblem(await ann.api.post('/auth/factors/passkeys', body), 403, 'reauthentication_required')
    await db.query(`update sessions set revoked_at = now(), revoked_reason = 'signed_out' where id = $1`, [
      ann.sessionId,
    ])
    assertProblem(await ann.api.post('/auth/factors/passkeys', body), 401, 'token_invalid')
  })
})

describe('a passkey of an account', () => {
  it('is renamed and removed, and the sessions that it opened end', async () => {
    const ann = await newPerson()
    const { id, authenticator } = await addPasskey(service, ann)
    const { accessToken } = (await tryPasskey(service, authenticator)).body.data
    const byPassword = client.with({ token: ann.accessToken })
    assert.equal((await ann.api.patch(`/auth/factors/${id}`, { name: 'Old phone' })).body.data.name, 'Old phone')

    assert.deepEqual((await byPassword.delete(`/auth/factors/${id}`)).body.data, { id })
    assertProblem(await client.get('/auth/me', { token: accessToken }), 401, 'token_invalid')
    assertProblem(await tryPasskey(service, authenticator), 401, 'second_factor_wrong')
    assert.deepEqual(await factorsOf(ann), { ...(await factorsOf(ann)), factors: [], recoveryCodesLeft: 0 })
    assert.equal((await client.post('/auth/login', { email: ann.email, password: PASSWORD })).status, 200)
  })

  it('says when there may be a copy of it', async () => {
    const ann = await newPerson()
    const { authenticator } = await addPasskey(service, ann, new Authenticator({ isHardware: true }))
    assertProblem(await tryPasskey(service, authenticator, { counter: 1 }), 401, 'second_factor_wrong')
    const [factor] = (await factorsOf(ann)).factors
    assert.ok(Date.now() - Date.parse(factor.copied_at) < 60_000)
    assert.equal(factor.synced, false)
  })
})

describe('after the password', () => {
  const confirm = (challenge: string, answer: object) =>
    client.post('/auth/login/second-factor', { challenge, ...answer })

  it('a passkey of the account is the second factor', async () => {
    const ann = await newPerson()
    const { id, authenticator } = await addPasskey(service, ann)
    const { token, methods, passkeyOptions } = await challengeForPasskey(service, ann)
    assert.deepEqual(methods, ['passkey', 'recovery_code'])
    assert.deepEqual(
      passkeyOptions.allowCredentials.map((each: { id: string }) => each.id),
      [authenticator.passkeys[0]?.id.toString('base64url')],
    )

    const answer = await confirm(token, { credential: authenticator.get(passkeyOptions) })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const [session] = await db.query(
      `select methods, second_factor_ids from sessions where account_id = $1 order by created_at desc limit 1`,
      [ann.id],
    )
    assert.deepEqual(session, { methods: ['pwd', 'swk', 'user'], second_factor_ids: [id] })
  })

  it('a device may leave the handle out, because the account is known', async () => {
    const ann = await newPerson()
    const { authenticator } = await addPasskey(service, ann)
    const { token, passkeyOptions } = await challengeForPasskey(service, ann)
    const credential = authenticator.get(passkeyOptions, { userHandle: null })
    assert.equal((await confirm(token, { credential })).status, 200)
  })

  it('an account without passkeys is offered none', async () => {
    const ann = await newPerson()
    await addApp(service, ann)
    const challenge = await challengeForPasskey(service, ann)
    assert.equal(challenge.passkeyOptions, undefined)
    const { authenticator } = await addPasskey(service, await newPerson())
    const credential = authenticator.get((await startPasskey(service)).options)
    assertProblem(await confirm(challenge.token, { credential }), 401, 'second_factor_wrong')
  })

  it('nothing else counts: a passkey of another account, another challenge, another page, the same answer again', async () => {
    const [ann, bob] = [await newPerson(), await newPerson()]
    const { authenticator } = await addPasskey(service, ann)
    const { authenticator: bobs } = await addPasskey(service, bob)
    const [first, second] = [await challengeForPasskey(service, ann), await challengeForPasskey(service, ann)]
    const wrong = [
      bobs.get(first.passkeyOptions),
      bobs.get(first.passkeyOptions, { userHandle: authenticator.passkeys[0]?.userHandle as string }),
      authenticator.get(second.passkeyOptions),
      authenticator.get(first.passkeyOptions, { origin: 'https://app.example.com:444' }),
    ]
    for (const credential of wrong)
      assertProblem(await confirm(first.token, { credential }), 401, 'second_factor_wrong')
    const [{ count } = { count: 0 }] = await db.query(
      'select cardinality(times) as count from second_factor_attempts where account_id = $1',
      [ann.id],
    )
    assert.equal(count, 4)
    const credential = authenticator.get(first.passkeyOptions)
    assert.equal((await confirm(first.token, { credential })).status, 200)
    assertProblem(await confirm(first.token, { credential }), 401, 'second_factor_wrong')
    assertProblem(await confirm(second.token, { credential }), 401, 'second_factor_wrong')
  })

  it('a copy is refused, and the refusal is kept', async () => {
    const ann = await newPerson()
    const { authenticator } = await addPasskey(service, ann, new Authenticator({ isHardware: true }))
    const { token, passkeyOptions } = await challengeForPasskey(service, ann)
    const credential = authenticator.get(passkeyOptions, { counter: 1 })
    assertProblem(await confirm(token, { credential }), 401, 'second_factor_wrong')
    assert.equal((await mailbox.to(ann.email, 'passkey_copied')).length, 1)
  })

  it('the same answer sent twice at once signs in once, and makes no copy of the passkey; the same counter later does', async () => {
    const ann = await newPerson()
    const { id, authenticator } = await addPasskey(service, ann, new Authenticator({ isHardware: true }))
    const copiedAt = async () =>
      (await db.query('select copied_at from second_factors where id = $1', [id]))[0]?.copied_at
    for (let times = 1; times <= 20; times++) {
      await db.query('delete from second_factor_attempts where account_id = $1', [ann.id])
      const { token, passkeyOptions } = await challengeForPasskey(service, ann)
      const credential = authenticator.get(passkeyOptions)
      const answers = await Promise.all([confirm(token, { credential }), confirm(token, { credential })])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401], `${times}`)
      assert.equal(await copiedAt(), null, `${times}`)
    }
    assert.deepEqual(await mailbox.to(ann.email, 'passkey_copied'), [])

    const { token, passkeyOptions } = await challengeForPasskey(service, ann)
    const credential = authenticator.get(passkeyOptions, { counter: 21 })
    assertProblem(await confirm(token, { credential }), 401, 'second_factor_wrong')
    assert.ok(await copiedAt())
  })

  it('an answer whose challenge is used while it is verified makes no copy of the passkey', async () => {
    const ann = await newPerson()
    const { id, authenticator } = await addPasskey(service, ann, new Authenticator({ isHardware: true }))
    const { token, passkeyOptions } = await challengeForPasskey(service, ann)
    const credential = authenticator.get(passkeyOptions)
    await db.query('begin')
    await db.query('lock table second_factors')
    const sent = confirm(token, { credential })
    await db.waitForLock()
    await db.query('update second_factors set counter = 2 where id = $1', [id])
    await db.query('delete from challenges where account_id = $1', [ann.id])
    await db.query('commit')
    assertProblem(await sent, 401, 'second_factor_wrong')
    assert.deepEqual(await mailbox.to(ann.email, 'passkey_copied'), [])
  })

  it('the body has one answer', async () => {
    const ann = await newPerson()
    const { authenticator } = await addPasskey(service, ann)
    const { token, passkeyOptions } = await challengeForPasskey(service, ann)
    const credential = authenticator.get(passkeyOptions)
    assertProblem(await confirm(token, { credential, code: '123456' }), 400, 'validation_failed')
    assertProblem(await confirm(token, {}), 400, 'validation_failed')
  })
})

describe('stepping up', () => {
  it('works with a passkey, for the session that asked', async () => {
    const ann = await newPerson()
    const { id, authenticator } = await addPasskey(service, ann)
    const { accessToken } = (await tryPasskey(service, authenticator)).body.data
    const other = client.with({ token: accessToken })
    await ageProofs(service, ann)
    assertProblem(await ann.api.delete(`/auth/factors/${id}`), 403, 'reauthentication_required')

    const { methods, challenge, options } = (await ann.api.post('/auth/step-up/options')).body.data
    assert.deepEqual(methods, ['passkey', 'recovery_code'])
    const answer = () => ({ challenge, credential: authenticator.get(options) })
    assertProblem(await other.post('/auth/step-up', answer()), 401, 'second_factor_wrong')
    const { status, body } = await ann.api.post('/auth/step-up', answer())
    assert.equal(status, 200, JSON.stringify(body))
    for (const time of [body.data.authenticated_at, body.data.second_factor_at])
      assert.ok(Date.now() - Date.parse(time) < 60_000, time)
    assertProblem(await ann.api.post('/auth/step-up', answer()), 401, 'second_factor_wrong')
    assert.equal((await ann.api.delete(`/auth/factors/${id}`)).status, 200)
  })

  it('needs the challenge of a step-up', async () => {
    const ann = await newPerson()
    const { authenticator } = await addPasskey(service, ann)
    const [signIn, added] = [await challengeForPasskey(service, ann), await startAdding(ann)]
    const { challenge, options } = await startPasskey(service)
    const forIt = (each: string) => authenticator.get({ ...options, challenge: each })
    for (const [token, webauthn] of [
      [challenge, options.challenge],
      [signIn.token, signIn.passkeyOptions.challenge],
      [added.challenge, added.options.challenge],
    ])
      assertProblem(
        await ann.api.post('/auth/step-up', { challenge: token, credential: forIt(webauthn) }),
        401,
        'second_factor_wrong',
      )
    const credential = forIt(options.challenge)
    assertProblem(await ann.api.post('/auth/step-up', { credential }), 400, 'validation_failed')
  })
})

describe('what is wrong about a passkey is refused and counted', () => {
  interface Attempt {
    options: PasskeyRequestOptions
    send(credential: object): Promise<Answer>
  }
  interface Scene {
    ann: Person
    authenticator: Authenticator
    others: Authenticator
    start(): Promise<Attempt>
  }

  const attemptsOf = async ({ id }: Person, purpose: string) =>
    (
      await db.query(
        'select cardinality(times) as count from second_factor_attempts where account_id = $1 and purpose = $2',
        [id, purpose],
      )
    )[0]?.count ?? 0
  const doors: Record<string, { start: (ann: Person) => Promise<Attempt>; count: (ann: Person) => Promise<number> }> = {
    'after the password': {
      start: async (ann) => {
        const { token, passkeyOptions } = await challengeForPasskey(service, ann)
        const send = (credential: object) => client.post('/auth/login/second-factor', { challenge: token, credential })
        return { options: passkeyOptions, send }
      },
      count: (ann) => attemptsOf(ann, 'sign_in'),
    },
    'at a step-up': {
      start: async ({ api }) => {
        const { challenge, options } = (await api.post('/auth/step-up/options')).body.data
        return { options, send: (credential) => api.post('/auth/step-up', { challenge, credential }) }
      },
      count: (ann) => attemptsOf(ann, 'step_up'),
    },
    // Here no account is known, so requests are counted, as for every sign-in, and refusals recorded.
    alone: {
      start: async () => {
        const { challenge, options } = await startPasskey(service)
        return { options, send: (credential) => client.post('/auth/passkeys/login', { challenge, credential }) }
      },
      count: async () =>
        (
          await db.query(
            `select count(*)::int as count from audit_records where action = 'sessions.create' and outcome = 'second_factor_wrong'`,
          )
        )[0]?.count,
    },
  }

  const attacks: Record<string, (scene: Scene, attempt: Attempt) => Promise<object> | object> = {
    'of another account, with the handle of this one': ({ authenticator, others }, { options }) =>
      others.get(options, { userHandle: authenticator.passkeys[0]?.userHandle as string }),
    'with the handle of another account': ({ authenticator, others }, { options }) =>
      authenticator.get(options, { userHandle: others.passkeys[0]?.userHandle as string }),
    'of a page on another port': ({ authenticator }, { options }) =>
      authenticator.get(options, { origin: 'https://app.example.com:8443' }),
    'that signed what was asked for an addition': async ({ ann, authenticator }, { options }) =>
      authenticator.get({ ...options, challenge: (await startAdding(ann)).options.challenge }),
    'that was used before': async ({ authenticator, start }) => {
      const { options, send } = await start()
      const credential = authenticator.get(options)
      assert.equal((await send(credential)).status, 200)
      return credential
    },
    'whose counter goes back': ({ authenticator }, { options }) => authenticator.get(options, { counter: 1 }),
    'that was changed to say that its user was verified': ({ authenticator }, { options }) => {
      const credential = authenticator.get(options, { isVerified: false })
      const data = Buffer.from(credential.response.authenticatorData, 'base64url')
      data.writeUInt8(data.readUInt8(32) | 4, 32)
      return { ...credential, response: { ...credential.response, authenticatorData: data.toString('base64url') } }
    },
    'with an id of 1,024 bytes': ({ authenticator }, { options }) => {
      const id = Buffer.alloc(1024, 1).toString('base64url')
      return { ...authenticator.get(options), id, rawId: id }
    },
  }

  for (const [where, { start, count }] of Object.entries(doors))
    for (const [what, attack] of Object.entries(attacks))
      it(`${where}: one ${what}`, async () => {
        const [ann, bob] = [await newPerson(), await newPerson()]
        const { authenticator } = await addPasskey(service, ann, new Authenticator({ isHardware: true }))
        const { authenticator: others } = await addPasskey(service, bob)
        const scene = { ann, authenticator, others, start: () => start(ann) }
        const attempt = await start(ann)
        const credential = await attack(scene, attempt)
        const sessions = await db.query('select id, second_factor_at from sessions order by id')
        const before = await count(ann)
        assertProblem(await attempt.send(credential), 401, 'second_factor_wrong')
        assert.equal(await count(ann), before + 1)
        assert.deepEqual(await db.query('select id, second_factor_at from sessions order by id'), sessions)
      })
})
