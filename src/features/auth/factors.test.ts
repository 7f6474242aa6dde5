import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addApp, ageProofs, confirmSignIn, signUpVerified } from '../../../test/support/factors.ts'
import { assertProblem, type Person, signIn } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'
import { totpCode, totpStepAt } from '../../lib/totp.ts'

const service = await useTestApp()
const { client, db } = service
const factorsOf = async ({ api }: Pick<Person, 'api'>) => (await api.get('/auth/factors')).body.data
const emailsTo = async ({ email }: Person) =>
  (await service.mailbox.to(email)).map(({ kind }) => kind).filter((kind) => /factor|recovery/.test(kind))
const actionsOf = async ({ id }: Person) =>
  (
    await db.query(
      `select action, changes from audit_records where actor_id = $1 and outcome = 'done' and action like 'factors.%' order by id`,
      [id],
    )
  ).map(({ action, changes }) => [action, changes])

const NO_FACTORS = { factors: [], recoveryCodesLeft: 0, required_by: [] }
const codeOf = (secret: string, distance = 0) => totpCode(secret, totpStepAt(Date.now()) + distance)

describe('an authenticator app', () => {
  it('is added in two steps, the first one with recovery codes', async () => {
    const ann = await signUpVerified(service)
    const started = await ann.api.post('/auth/factors/totp', { name: ' Phone ' })
    assert.equal(started.status, 201)
    const { id, secret, uri } = started.body.data
    assert.equal(new URL(uri).searchParams.get('secret'), secret)
    assert.match(decodeURIComponent(uri), new RegExp(`:${ann.email}\\?`))
    assert.deepEqual(await factorsOf(ann), NO_FACTORS)
    assert.equal((await signIn(client, ann.email)).id, ann.id)

    const confirmed = await ann.api.post(`/auth/factors/totp/${id}/confirm`, { code: codeOf(secret) })
    assert.equal(confirmed.status, 200)
    const { factor, recoveryCodes } = confirmed.body.data
    assert.deepEqual([factor.id, factor.kind, factor.name], [id, 'totp', 'Phone'])
    assert.equal(new Set(recoveryCodes).size, 10)
    for (const code of recoveryCodes) assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/)
    assert.deepEqual(await factorsOf(ann), { factors: [factor], recoveryCodesLeft: 10, required_by: [] })
    assert.equal((await ann.api.get('/auth/me')).body.data.user.second_factor, true)
    assert.equal((await ann.api.get(`/companies/users/${ann.id}`)).body.data.second_factor, true)
    assert.deepEqual(await emailsTo(ann), ['second_factor_added'])
    assert.deepEqual(await actionsOf(ann), [
      ['factors.create', { factor: { to: 'totp' }, name: { to: 'Phone' } }],
      ['factors.confirm', { factor: { to: 'totp' }, name: { to: 'Phone' } }],
    ])
  })

  it('makes the session that added it one that has proved it, and no other', async () => {
    const ann = await signUpVerified(service)
    const other = await signIn(client, ann.email)
    await addApp(service, ann)
    const rename = async ({ api }: Person) => (await api.post('/auth/factors/recovery-codes')).status
    assert.equal(await rename(ann), 201)
    assert.equal(await rename(other), 403)
    const refreshed = await client.post('/auth/refresh', { refreshToken: other.refreshToken })
    assert.equal(refreshed.status, 200)
    const api = client.with({ token: refreshed.body.data.accessToken })
    assertProblem(await api.post('/auth/factors/recovery-codes'), 403, 'reauthentication_required')
  })

  it('ends a change of address that was asked for without one, as the first factor', async () => {
    const ann = await signUpVerified(service)
    const thief = await signIn(client, ann.email)
    const email = `thief-${newId()}@example.com`
    assert.equal((await thief.api.put('/auth/profile', { email })).status, 200)
    const token = await service.mailbox.token(email, 'change_email')
    await addApp(service, ann)
    assertProblem(await client.post('/auth/verify-email', { token }), 400, 'link_invalid')
    const { user } = (await ann.api.get('/auth/me')).body.data
    assert.deepEqual([user.email, user.pending_email], [ann.email, undefined])
    const [, [, changes]] = (await actionsOf(ann)) as [unknown, [string, object]]
    assert.deepEqual(changes, { factor: { to: 'totp' }, name: { to: 'Phone' }, pending_email: { from: email } })

    const own = `own-${newId()}@example.com`
    assert.equal((await ann.api.put('/auth/profile', { email: own })).status, 200)
    await addApp(service, ann)
    assert.equal((await ann.api.get('/auth/me')).body.data.user.pending_email, own)
  })

  it('is not added by a wrong code, by another account, or after ten minutes', async () => {
    const [ann, bob] = [await signUpVerified(service), await signUpVerified(service)]
    const { id, secret } = (await ann.api.post('/auth/factors/totp', {})).body.data
    const confirm = ({ api }: Person, code: string) => api.post(`/auth/factors/totp/${id}/confirm`, { code })
    assertProblem(await confirm(ann, codeOf(secret, 3)), 401, 'second_factor_wrong')
    assertProblem(await confirm(bob, codeOf(secret)), 404, 'factor_not_found')
    await db.query(`update second_factors set created_at = now() - interval '10 minutes' where id = $1`, [id])
    assertProblem(await confirm(ann, codeOf(secret)), 404, 'factor_not_found')
    assert.deepEqual(await factorsOf(ann), NO_FACTORS)
  })

  it('replaces one that was never confirmed; two confirmed ones are the most', async () => {
    const ann = await signUpVerified(service)
    const abandoned = (await ann.api.post('/auth/factors/totp', {})).body.data
    const first = await addApp(service, ann)
    assertProblem(
      await ann.api.post(`/auth/factors/totp/${abandoned.id}/confirm`, { code: codeOf(abandoned.secret) }),
      404,
      'factor_not_found',
    )
    const second = await addApp(service, ann)
    assert.deepEqual(second.recoveryCodes, [])
    assertProblem(await ann.api.post('/auth/factors/totp', {}), 422, 'factor_limit_reached')
    for (const app of [first, second])
      assert.equal((await confirmSignIn(client, ann, { code: await app.unusedCode() })).status, 200)
  })

  it('is not added twice by requests at the same time', async () => {
    const ann = await signUpVerified(service)
    await Promise.all(Array.from({ length: 5 }, () => ann.api.post('/auth/factors/totp', {})))
    assert.equal((await db.query('select id from second_factors where account_id = $1', [ann.id])).length, 1)
    const { id, secret } = (await ann.api.post('/auth/factors/totp', {})).body.data
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ann.api.post(`/auth/factors/totp/${id}/confirm`, { code: codeOf(secret) })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404])
    assert.equal((await factorsOf(ann)).recoveryCodesLeft, 10)
  })

  it('keeps its secret out of the database, the log and the audit', async () => {
    const ann = await signUpVerified(service)
    const app = await addApp(service, ann)
    const tables = ['second_factors', 'recovery_codes', 'audit_records', 'emails', 'idempotent_requests', 'challenges']
    const needles = [app.secret, ...app.recoveryCodes, ...app.recoveryCodes.map((code) => code.replaceAll('-', ''))]
    for (const table of tables) {
      const rows = await db.query(`select t::text as text from ${table} t`)
      for (const needle of needles) {
        const hex = Buffer.from(needle).toString('hex')
        assert.ok(!rows.some(({ text }) => text.includes(needle) || text.includes(hex)), `${table} has ${needle}`)
      }
    }
    for (const needle of needles) assert.ok(!service.logged.some((line) => line.includes(needle)), 'the log')
  })

  it('is renamed, by its owner alone', async () => {
    const [ann, bob] = [await signUpVerified(service), await signUpVerified(service)]
    const { factorId } = await addApp(service, ann)
    const rename = ({ api }: Person, name: string) => api.patch(`/auth/factors/${factorId}`, { name })
    assert.equal((await rename(ann, 'Tablet')).body.data.name, 'Tablet')
    assert.equal((await factorsOf(ann)).factors[0].name, 'Tablet')
    assertProblem(await rename(bob, 'Mine'), 404, 'factor_not_found')
    assertProblem(await rename(ann, ' '), 400, 'validation_failed')
    const { id } = (await ann.api.post('/auth/factors/totp', {})).body.data
    assertProblem(await ann.api.patch(`/auth/factors/${id}`, { name: 'Early' }), 404, 'factor_not_found')
    assert.deepEqual((await actionsOf(ann)).at(2), [
      'factors.update',
      { factor: { to: 'totp' }, name: { from: 'Phone', to: 'Tablet' } },
    ])
  })

  it('is removed with the sessions that it opened, except this one', async () => {
    const ann = await signUpVerified(service)
    const before = await signIn(client, ann.email)
    const app = await addApp(service, ann)
    const other = await addApp(service, ann)
    const opened = (await confirmSignIn(client, ann, { code: await app.unusedCode() })).body.data
    const openedByOther = (await confirmSignIn(client, ann, { code: await other.unusedCode() })).body.data
    const own = client.with({ token: opened.accessToken })
    const another = (await confirmSignIn(client, ann, { code: await app.unusedCode() })).body.data

    assert.equal((await own.delete(`/auth/factors/${app.factorId}`)).status, 200)
    const statusWith = async (token: string) => (await client.get('/auth/me', { token })).status
    assert.equal(await statusWith(opened.accessToken), 200)
    assert.equal(await statusWith(another.accessToken), 401)
    assert.equal(await statusWith(openedByOther.accessToken), 200)
    assert.equal(await statusWith(before.accessToken), 200)
    assert.equal((await factorsOf({ api: own })).recoveryCodesLeft, 10)

    // It has proved nothing that is left.
    assertProblem(await own.delete(`/auth/factors/${other.factorId}`), 403, 'reauthentication_required')
    assert.equal((await own.post('/auth/step-up', { code: await other.unusedCode() })).status, 200)
    assertProblem(await own.delete(`/auth/factors/${app.factorId}`), 404, 'factor_not_found')
    assert.equal((await own.delete(`/auth/factors/${other.factorId}`)).status, 200)
    assert.deepEqual(await factorsOf({ api: own }), NO_FACTORS)
    assert.equal((await signIn(client, ann.email)).id, ann.id)
    assert.deepEqual((await emailsTo(ann)).slice(-2), ['second_factor_removed', 'second_factor_removed'])
  })
})

describe('a session that has removed the factor that it proved', () => {
  const EVERYBODY = { secondFactor: { required: 'everybody' } }
  const enter = ({ api, company }: Person) => api.get(`/companies/${company.id}`)

  it('has proved no factor that is added elsewhere afterwards', async () => {
    const ann = await signUpVerified(service)
    const { factorId, recoveryCodes } = await addApp(service, ann)
    // A recovery code is gone with the last factor, too.
    assert.equal((await ann.api.post('/auth/step-up', { recoveryCode: recoveryCodes[0] })).status, 200)
    assert.equal((await ann.api.delete(`/auth/factors/${factorId}`)).status, 200)
    assert.equal((await enter(ann)).status, 200)
    const other = await signIn(client, ann.email)
    const app = await addApp(service, other)
    assert.equal((await other.api.patch('/companies/policy', EVERYBODY)).status, 200)

    assertProblem(await enter(ann), 403, 'second_factor_required_by_company')
    assertProblem(await ann.api.post('/auth/factors/recovery-codes'), 403, 'reauthentication_required')
    assert.equal((await ann.api.post('/auth/step-up', { code: await app.unusedCode() })).status, 200)
    assert.equal((await enter(ann)).status, 200)
  })

  it('is let in by a company that asks for one only while it has proved one that is left', async () => {
    const ann = await signUpVerified(service)
    const [first, second] = [await addApp(service, ann), await addApp(service, ann)]
    assert.equal((await ann.api.patch('/companies/policy', EVERYBODY)).status, 200)
    // The session that has added both has proved both.
    assert.equal((await ann.api.delete(`/auth/factors/${first.factorId}`)).status, 200)
    assert.equal((await enter(ann)).status, 200)
    const third = await addApp(service, ann)

    const { accessToken: token } = (await confirmSignIn(client, ann, { code: await second.unusedCode() })).body.data
    const own = { ...ann, api: client.with({ token, company: ann.company.id }) }
    assert.equal((await own.api.delete(`/auth/factors/${second.factorId}`)).status, 200)
    const refused = await enter(own)
    assertProblem(refused, 403, 'second_factor_required_by_company')
    assert.deepEqual(refused.body.methods, ['totp', 'recovery_code'])
    assert.equal((await own.api.post('/auth/step-up', { code: await third.unusedCode() })).status, 200)
    assert.equal((await enter(own)).status, 200)
  })

  it('goes on with new recovery codes, which it was shown, until there are others', async () => {
    const ann = await signUpVerified(service)
    const { recoveryCodes, unusedCode } = await addApp(service, ann)
    const sessionBy = async (answer: Parameters<typeof confirmSignIn>[2]) =>
      client.with({ token: (await confirmSignIn(client, ann, answer)).body.data.accessToken })
    const own = await sessionBy({ recoveryCode: recoveryCodes[0] as string })
    const headers = { 'idempotency-key': newId() }
    const renewed = await own.post('/auth/factors/recovery-codes', undefined, { headers })
    // Who has lost all but the former codes needs the answer that was lost on its way.
    const again = await own.post('/auth/factors/recovery-codes', undefined, { headers })
    assert.deepEqual([again.status, again.body], [201, renewed.body])
    const other = await sessionBy({ code: await unusedCode() })
    assert.equal((await other.post('/auth/factors/recovery-codes')).status, 201)
    assertProblem(await own.get('/auth/me'), 401, 'token_invalid')
  })
})

describe('a session that was opened by one factor and has proved another one since', () => {
  for (const removed of ['first', 'second'] as const)
    it(`ends with each of them: the ${removed}`, async () => {
      const ann = await signUpVerified(service)
      const apps = { first: await addApp(service, ann), second: await addApp(service, ann) }
      const { accessToken } = (await confirmSignIn(client, ann, { code: await apps.first.unusedCode() })).body.data
      const api = client.with({ token: accessToken })
      for (const app of [apps.second, apps.first, apps.second])
        assert.equal((await api.post('/auth/step-up', { code: await app.unusedCode() })).status, 200)
      const kept = apps[removed === 'first' ? 'second' : 'first']
      const other = (await confirmSignIn(client, ann, { code: await kept.unusedCode() })).body.data.accessToken
      const proved = await db.query(
        'select cardinality(second_factor_ids) as count from sessions where account_id = $1 and id <> $2 order by 1',
        [ann.id, ann.sessionId],
      )
      assert.deepEqual(proved, [{ count: 1 }, { count: 2 }])

      assert.equal((await ann.api.delete(`/auth/factors/${apps[removed].factorId}`)).status, 200)
      assertProblem(await api.get('/auth/me'), 401, 'token_invalid')
      assert.equal((await client.get('/auth/me', { token: other })).status, 200)
      assert.equal((await ann.api.get('/auth/me')).status, 200)
    })
})

describe('recovery codes', () => {
  it('are replaced by new ones', async () => {
    const ann = await signUpVerified(service)
    const { recoveryCodes: former } = await addApp(service, ann)
    const answer = await ann.api.post('/auth/factors/recovery-codes')
    assert.equal(answer.status, 201)
    const { recoveryCodes } = answer.body.data
    assert.equal(recoveryCodes.length, 10)
    assert.equal((await factorsOf(ann)).recoveryCodesLeft, 10)
    for (const recoveryCode of former.slice(0, 9))
      assertProblem(await confirmSignIn(client, ann, { recoveryCode }), 401, 'second_factor_wrong')
    assert.equal((await confirmSignIn(client, ann, { recoveryCode: recoveryCodes[0] })).status, 200)
    assertProblem(await confirmSignIn(client, ann, { recoveryCode: former[9] as string }), 401, 'second_factor_wrong')
    assert.deepEqual((await emailsTo(ann)).slice(1), [
      'recovery_codes_created',
      'second_factor_guessed',
      'recovery_code_used',
    ])
  })

  it('end with the sessions that they opened or raised, but not the one that replaces them or removes the last factor', async () => {
    for (const replaces of [true, false]) {
      const ann = await signUpVerified(service)
      const { factorId, recoveryCodes, unusedCode } = await addApp(service, ann)
      const sessionBy = async (answer: Parameters<typeof confirmSignIn>[2]) =>
        client.with({ token: (await confirmSignIn(client, ann, answer)).body.data.accessToken })
      const [first, second, third] = recoveryCodes as [string, string, string]
      const [thief, raised, own] = [
        await sessionBy({ recoveryCode: first }),
        await sessionBy({ code: await unusedCode() }),
        await sessionBy({ recoveryCode: second }),
      ]
      const other = await sessionBy({ code: await unusedCode() })
      assert.equal((await raised.post('/auth/step-up', { recoveryCode: third })).status, 200)

      const answer = replaces
        ? await own.post('/auth/factors/recovery-codes')
        : await own.delete(`/auth/factors/${factorId}`)
      assert.ok(answer.status < 300, JSON.stringify(answer.body))
      for (const api of [thief, raised]) assertProblem(await api.get('/auth/me'), 401, 'token_invalid')
      assert.equal((await own.get('/auth/me')).status, 200)
      assert.equal((await other.get('/auth/me')).status, replaces ? 200 : 401)
    }
  })

  it('are for accounts with a second factor', async () => {
    assertProblem(
      await (await signUpVerified(service)).api.post('/auth/factors/recovery-codes'),
      404,
      'factor_not_found',
    )
  })

  it('are shown again to a retry only while none was used or replaced', async () => {
    const ann = await signUpVerified(service)
    await addApp(service, ann)
    const options = { headers: { 'idempotency-key': newId() } }
    const send = () => ann.api.post('/auth/factors/recovery-codes', undefined, options)
    const first = await send()
    assert.deepEqual((await send()).body, first.body)
    const [recoveryCode] = first.body.data.recoveryCodes
    assert.equal((await confirmSignIn(client, ann, { recoveryCode })).status, 200)
    assertProblem(await send(), 409, 'idempotent_response_expired')
    assert.equal((await factorsOf(ann)).recoveryCodesLeft, 9)
  })
})

describe('the secret of a new app', () => {
  it('is shown again to a retry only until it is confirmed', async () => {
    const ann = await signUpVerified(service)
    const options = { headers: { 'idempotency-key': newId() } }
    const send = () => ann.api.post('/auth/factors/totp', {}, options)
    const first = await send()
    assert.deepEqual((await send()).body, first.body)
    const { id, secret } = first.body.data
    await ann.api.post(`/auth/factors/totp/${id}/confirm`, { code: codeOf(secret) })
    assert.notEqual((await send()).body.data.secret, secret)
  })
})

describe('a change of factors', () => {
  const changes: Record<string, (api: Person['api'], factorId: string) => ReturnType<Person['api']['post']>> = {
    'adding one': (api) => api.post('/auth/factors/totp', {}),
    'confirming one': (api) => api.post(`/auth/factors/totp/${newId()}/confirm`, { code: '123456' }),
    'removing one': (api, factorId) => api.delete(`/auth/factors/${factorId}`),
    'new recovery codes': (api) => api.post('/auth/factors/recovery-codes'),
  }

  for (const [name, change] of Object.entries(changes)) {
    it(`asks for a session that has proved recently whose it is: ${name}`, async () => {
      const ann = await signUpVerified(service)
      await ageProofs(service, ann)
      const unproved = await change(ann.api, newId())
      assertProblem(unproved, 403, 'reauthentication_required')
      assert.deepEqual(unproved.body.methods, ['password'])

      const fresh = await signIn(client, ann.email)
      const { factorId } = await addApp(service, fresh)
      const refused = await change(ann.api, factorId)
      assertProblem(refused, 403, 'reauthentication_required')
      assert.deepEqual(refused.body.methods, ['totp', 'recovery_code'])
      await ageProofs(service, fresh)
      assertProblem(await change(fresh.api, factorId), 403, 'reauthentication_required')
    })
  }
})
