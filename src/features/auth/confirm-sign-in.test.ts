import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { type App, addApp, challengeFor, confirmSignIn } from '../../../test/support/factors.ts'
import { addMember, emailedPassword, link } from '../../../test/support/members.ts'
import { assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'
import { linkToken } from '../../lib/secrets.ts'

const service = await useTestApp()
const { client, db } = service
const confirm = (challenge: string, answer: object) =>
  client.post('/auth/login/second-factor', { challenge, ...answer })

const withApp = async () => {
  const ann = await signUp(client)
  return { ann, app: await addApp(service, ann) }
}
const sessionsOf = async ({ id }: Person) =>
  (await db.query('select id from sessions where account_id = $1', [id])).length

describe('signing in with a second factor', () => {
  it('opens a session that has proved both', async () => {
    const { ann, app } = await withApp()
    const refused = await client.post('/auth/login', { email: ann.email, password: PASSWORD })
    assertProblem(refused, 401, 'second_factor_required')
    const { token, methods, expires_at } = refused.body.challenge
    assert.deepEqual(methods, ['totp', 'recovery_code'])
    const secondsLeft = (Date.parse(expires_at) - Date.now()) / 1000
    assert.ok(secondsLeft > 290 && secondsLeft <= 301, String(secondsLeft))

    const answer = await confirm(token, { code: await app.unusedCode() })
    assert.equal(answer.status, 200)
    const { accessToken, user, tenants } = answer.body.data
    assert.deepEqual([user.id, user.second_factor, tenants.length], [ann.id, true, 1])
    assert.equal((await client.get('/auth/me', { token: accessToken })).status, 200)
    const [session] = await db.query(
      `select methods, second_factor_ids, second_factor_at is not null as proved from sessions
       where account_id = $1 order by created_at desc limit 1`,
      [ann.id],
    )
    assert.deepEqual(session, { methods: ['pwd', 'otp'], second_factor_ids: [app.factorId], proved: true })
  })

  it('takes the code of the step before and after, and none twice', async () => {
    const { ann, app } = await withApp()
    for (const distance of [-1, 1]) {
      await app.unusedCode()
      const code = app.code(distance)
      assert.equal((await confirmSignIn(client, ann, { code })).status, 200)
      assertProblem(await confirmSignIn(client, ann, { code }), 401, 'second_factor_wrong')
    }
    // The code of now comes before the one that was used last.
    assertProblem(await confirmSignIn(client, ann, { code: app.code() }), 401, 'second_factor_wrong')
    await app.unusedCode()
    for (const distance of [-3, 3])
      assertProblem(await confirmSignIn(client, ann, { code: app.code(distance) }), 401, 'second_factor_wrong')
  })

  it('does not take the code that confirmed the factor', async () => {
    const { ann, app } = await withApp()
    assertProblem(await confirmSignIn(client, ann, { code: app.code() }), 401, 'second_factor_wrong')
  })

  for (const [kind, answerOf] of Object.entries({
    'code of an app': async ({ unusedCode }: App) => ({ code: await unusedCode() }),
    'recovery code': async ({ recoveryCodes }: App) => ({ recoveryCode: recoveryCodes.pop() }),
  }))
    it(`opens one session for twenty requests at once with one good ${kind}`, async () => {
      const { ann, app } = await withApp()
      const before = await sessionsOf(ann)
      const tokens: string[] = []
      for (let i = 0; i < 20; i++) tokens.push(await challengeFor(client, ann))
      for (const [name, challenges] of [
        ['one challenge', Array(20).fill(tokens.at(-1))],
        ['a challenge each', tokens],
      ] as const) {
        const answer = await answerOf(app)
        await db.query('delete from second_factor_attempts where account_id = $1', [ann.id])
        const answers = await Promise.all(challenges.map((challenge) => confirm(challenge, answer)))
        assert.equal(answers.filter(({ status }) => status === 200).length, 1, name)
        for (const refused of answers.filter(({ status }) => status !== 200))
          assertProblem(refused, refused.status, refused.status === 429 ? 'too_many_attempts' : 'second_factor_wrong')
      }
      assert.equal(await sessionsOf(ann), before + 2)
    })

  it('takes a recovery code once, in any letter case, with dashes and without', async () => {
    const { ann, app } = await withApp()
    const [first, second, third, fourth] = app.recoveryCodes as [string, string, string, string]
    for (const recoveryCode of [
      first,
      second.toLowerCase(),
      third.replaceAll('-', ''),
      ` ${fourth.replaceAll('-', ' ')} `,
    ])
      assert.equal((await confirmSignIn(client, ann, { recoveryCode })).status, 200, recoveryCode)
    assertProblem(await confirmSignIn(client, ann, { recoveryCode: first }), 401, 'second_factor_wrong')
    assert.equal((await ann.api.get('/auth/factors')).body.data.recoveryCodesLeft, 6)
    const email = (await service.mailbox.to(ann.email, 'recovery_code_used')).at(-1)
    assert.match(email?.text ?? '', /6 codes are left/)
    const [session] = await db.query(
      `select methods, second_factor_ids from sessions where account_id = $1 order by created_at desc limit 1`,
      [ann.id],
    )
    assert.deepEqual(session, { methods: ['pwd', 'rec'], second_factor_ids: [ann.id] })
  })

  it('gives one answer to whatever is wrong', async () => {
    const { ann, app } = await withApp()
    const { ann: bob, app: bobsApp } = await withApp()
    const used = await challengeFor(client, ann)
    assert.equal((await confirm(used, { code: await app.unusedCode() })).status, 200)
    const expired = await challengeFor(client, ann)
    await db.query(`update challenges set expires_at = now() where account_id = $1`, [ann.id])
    const challenge = await challengeFor(client, ann)
    const code = await app.unusedCode()
    const wrong: Record<string, [string, object]> = {
      'a used challenge': [used, { code }],
      'an expired challenge': [expired, { code }],
      'no challenge': ['x', { code }],
      'a changed challenge': [`${challenge.slice(0, -1)}${challenge.endsWith('A') ? 'B' : 'A'}`, { code }],
      'the token of a link': [linkToken(service.keys, newId()), { code }],
      'a challenge of an access token': [ann.accessToken, { code }],
      'the challenge of another account': [await challengeFor(client, bob), { code }],
      'the code of another account': [challenge, { code: await bobsApp.unusedCode() }],
      'the recovery code of another account': [challenge, { recoveryCode: bobsApp.recoveryCodes[0] }],
      'a code as a recovery code': [challenge, { recoveryCode: code }],
      'a wrong code': [challenge, { code: code === '000000' ? '000001' : '000000' }],
    }
    const bodies = new Set<string>()
    for (const [what, [token, answer]] of Object.entries(wrong)) {
      const refused = await confirm(token, answer)
      assertProblem(refused, 401, 'second_factor_wrong')
      bodies.add(JSON.stringify(refused.body))
      assert.equal(refused.headers.get('www-authenticate'), 'Bearer', what)
    }
    assert.equal(bodies.size, 1)
    // The right code still opens the challenge that was tried four times.
    assert.equal((await confirm(challenge, { code })).status, 200)
  })

  const sealedIn = async ({ factorId }: App): Promise<Buffer> =>
    (await db.query('select secret from second_factors where id = $1', [factorId]))[0]?.secret
  const damages: Record<string, (sealed: Buffer, others: Buffer) => Buffer> = {
    'moved there from another row': (_, others) => others,
    truncated: (sealed) => sealed.subarray(0, -1),
    'sealed by another APP_SECRET': (sealed) => Buffer.from(sealed.with(0, (sealed[0] as number) ^ 1)),
  }
  for (const [what, damage] of Object.entries(damages))
    it(`goes on with another app where the secret of one was ${what}, and logs which`, async () => {
      const { ann, app } = await withApp()
      const { app: bobsApp } = await withApp()
      const damaged = damage(await sealedIn(app), await sealedIn(bobsApp))
      await db.query('update second_factors set secret = $2 where id = $1', [app.factorId, damaged])
      for (const { unusedCode } of [app, bobsApp]) {
        const refused = await confirmSignIn(client, ann, { code: await unusedCode() })
        assertProblem(refused, 500, 'internal_error')
        assert.ok(!JSON.stringify(refused.body).includes(app.factorId))
      }
      const lines = service.logged.filter((line) => line.includes(app.factorId)).join()
      assert.match(
        lines,
        new RegExp(`second_factors\\.secret of the row ${app.factorId} (is not what|was sealed by a key)`),
      )
      for (const { secret } of [app, bobsApp]) assert.ok(!service.logged.some((line) => line.includes(secret)))

      assert.equal((await confirmSignIn(client, ann, { recoveryCode: app.recoveryCodes[0] as string })).status, 200)
      const other = await addApp(service, ann)
      assert.equal((await confirmSignIn(client, ann, { code: await other.unusedCode() })).status, 200)
    })

  it('counts the codes of an account that has an app whose secret can’t be read: they may be guesses at another one', async () => {
    const { ann, app } = await withApp()
    await addApp(service, ann)
    await db.query(`update second_factors set secret = 'x' where id = $1`, [app.factorId])
    for (let tries = 1; tries <= 10; tries++)
      assertProblem(await confirmSignIn(client, ann, { code: '000000' }), 500, 'internal_error')
    assertProblem(await confirmSignIn(client, ann, { code: '000000' }), 429, 'too_many_attempts')
  })

  it('needs exactly one answer', async () => {
    for (const answer of [
      {},
      { code: '123456', recoveryCode: 'x' },
      { code: '12345' },
      { code: '1234567' },
      { code: 'abcdef' },
    ])
      assertProblem(await confirm('x', answer), 400, 'validation_failed')
  })

  it('puts the refresh token into the cookie where the page asks for it', async () => {
    const { ann, app } = await withApp()
    const challenge = await challengeFor(client, ann)
    const body = { challenge, code: await app.unusedCode(), sessionIn: 'cookie' }
    assertProblem(await client.post('/auth/login/second-factor', body), 403, 'origin_not_allowed')
    const headers = { origin: 'https://app.example.com' }
    const answer = await client.post('/auth/login/second-factor', body, { headers })
    assert.equal(answer.status, 200)
    assert.equal(answer.body.data.refreshToken, undefined)
    assert.match(answer.headers.get('set-cookie') ?? '', /^__Host-tenantry_refresh_token=ey/)
  })

  it('gives a retry with the same key the same tokens, until a factor changes', async () => {
    const { ann, app } = await withApp()
    const body = { challenge: await challengeFor(client, ann), code: await app.unusedCode() }
    const options = { headers: { 'idempotency-key': newId() } }
    const send = () => client.post('/auth/login/second-factor', body, options)
    const first = await send()
    assert.equal(first.status, 200)
    assert.deepEqual((await send()).body, first.body)
    await addApp(service, ann)
    assertProblem(await send(), 401, 'second_factor_wrong')
  })
})

describe('a sign-in that waits for its second factor', () => {
  it('ends when the password, the address or the factors change', async () => {
    const changes: Record<string, (person: Person) => Promise<unknown>> = {
      password: ({ api }) =>
        api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: 'Another-horse-8' }),
      factor: (person) => addApp(service, person),
      address: ({ id }) => db.query(`update accounts set email = 'new-' || email where id = $1`, [id]),
      disabled: ({ id }) => db.query('update accounts set disabled_at = now() where id = $1', [id]),
    }
    for (const [what, change] of Object.entries(changes)) {
      const { ann, app } = await withApp()
      const challenge = await challengeFor(client, ann)
      await change(ann)
      const before = await sessionsOf(ann)
      assertProblem(await confirm(challenge, { code: await app.unusedCode() }), 401, 'second_factor_wrong')
      assert.equal(await sessionsOf(ann), before, what)
    }
  })

  it('may only choose another password where a temporary one was right', async () => {
    const owner = await signUp(client)
    const { email } = await addMember(owner)
    const password = await emailedPassword(service, email, ['temporary_password'])
    const [account] = await db.query<{ id: string }>('select id from accounts where email = $1', [email])
    const first = await signIn(client, email, password)
    await first.api.post('/auth/change-password', { currentPassword: password, newPassword: PASSWORD })
    const app = await addApp(service, first)
    await owner.api.post(`/companies/users/${account?.id}/reset-password-email`)
    const temporary = await emailedPassword(service, email, ['password_reset'])

    const challenge = await challengeFor(client, { email }, temporary)
    const { body } = await confirm(challenge, { code: await app.unusedCode() })
    assert.equal(body.data.user.must_change_password, true)
    const api = client.with({ token: body.data.accessToken })
    assertProblem(await api.get('/auth/factors'), 403, 'password_change_required')
    const change = { currentPassword: temporary, newPassword: 'Third-horse-99' }
    assert.equal((await api.post('/auth/change-temporary-password', change)).status, 200)
    const [session] = await db.query(
      `select must_change_password, second_factor_at is not null as proved from sessions
       where account_id = $1 and revoked_at is null`,
      [account?.id],
    )
    assert.deepEqual(session, { must_change_password: false, proved: true })
  })
})

describe('guessing a second factor', () => {
  const anyWrong = (code: string) => (code === '000000' ? '000001' : '000000')

  it('is looked at five times for a challenge, also at once', async () => {
    const { ann, app } = await withApp()
    const challenge = await challengeFor(client, ann)
    const code = await app.unusedCode()
    const tried = await Promise.all(Array.from({ length: 8 }, () => confirm(challenge, { code: anyWrong(code) })))
    for (const answer of tried) assertProblem(answer, 401, 'second_factor_wrong')
    assertProblem(await confirm(challenge, { code }), 401, 'second_factor_wrong')
    const [row] = await db.query('select attempts from challenges where account_id = $1', [ann.id])
    assert.equal(row?.attempts, 5)
  })

  it('is looked at ten times an hour for an account, whatever the network, and its owner is told once', async () => {
    const { ann, app } = await withApp()
    const code = await app.unusedCode()
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) {
      const challenge = await challengeFor(client, ann)
      for (let j = 0; j < 4; j++) {
        const answer = await confirm(challenge, { code: anyWrong(code) })
        statuses.push(answer.status)
        if (answer.status === 429) {
          assertProblem(answer, 429, 'too_many_attempts')
          const wait = Number(answer.headers.get('retry-after'))
          assert.ok(wait > 3500 && wait <= 3600, String(wait))
        }
      }
    }
    assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(10).fill(429)])
    // The right code of its owner, from a network that the account knows, waits as well; but stepping up goes on.
    assertProblem(await confirmSignIn(client, ann, { code }), 429, 'too_many_attempts')
    assert.equal((await ann.api.post('/auth/step-up', { code })).status, 200)
    const told = await db.query(`select id from emails where recipient_email = $1 and kind = 'second_factor_guessed'`, [
      ann.email,
    ])
    assert.equal(told.length, 1)

    await db.query(
      `update second_factor_attempts set times = array(select t - interval '1 hour' from unnest(times) t) where account_id = $1`,
      [ann.id],
    )
    assert.equal((await confirmSignIn(client, ann, { code: await app.unusedCode() })).status, 200)
  })

  it('is not begun anew by a right answer, which itself does not count', async () => {
    const { ann, app } = await withApp()
    for (let i = 0; i < 9; i++) {
      const code = await app.unusedCode()
      assertProblem(await confirmSignIn(client, ann, { code: anyWrong(code) }), 401, 'second_factor_wrong')
      assert.equal((await confirmSignIn(client, ann, { code })).status, 200)
    }
    const code = await app.unusedCode()
    assertProblem(await confirmSignIn(client, ann, { code: anyWrong(code) }), 401, 'second_factor_wrong')
    assertProblem(await confirmSignIn(client, ann, { code }), 429, 'too_many_attempts')
  })

  it('does not count where a company has ended the challenge by emailing another password', async () => {
    const { ann, app } = await withApp()
    const eve = await signUp(client)
    await link(eve, ann)
    const email = () => eve.api.post(`/companies/users/${ann.id}/reset-password-email`)
    assert.equal((await email()).status, 200)
    const challenge = await challengeFor(client, ann)
    assert.equal((await email()).status, 200)
    const code = await app.unusedCode()
    for (let tries = 1; tries <= 4; tries++)
      assertProblem(await confirm(challenge, { code }), 401, 'second_factor_wrong')
    assertProblem(await confirm(challenge, { code: '000000' }), 401, 'second_factor_wrong')
    const [row] = await db.query(
      'select cardinality(times) as counted from second_factor_attempts where account_id = $1',
      [ann.id],
    )
    assert.equal(row?.counted, 1)
    assert.equal((await confirmSignIn(client, ann, { code })).status, 200)
  })

  it('leaves records of what was refused, without codes and tokens', async () => {
    const { ann, app } = await withApp()
    const code = anyWrong(await app.unusedCode())
    const challenge = await challengeFor(client, ann)
    await confirm(challenge, { code })
    const records = await db.query(
      `select action, outcome, audit_records::text as text from audit_records where target_id = $1 and outcome <> 'done' order by id`,
      [ann.id],
    )
    assert.deepEqual(
      records.map(({ action, outcome }) => [action, outcome]),
      [
        ['sessions.create', 'second_factor_required'],
        ['sessions.create', 'second_factor_wrong'],
      ],
    )
    for (const { text } of records) assert.ok(!text.includes(challenge) && !text.includes(app.secret))
  })
})
