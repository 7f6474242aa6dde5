import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addApp, ageProofs, confirmFactor, confirmSignIn, signUpVerified } from '../../../test/support/factors.ts'
import { addManagedMember } from '../../../test/support/members.ts'
import { addPasskey } from '../../../test/support/passkeys.ts'
import { assertProblem, PASSWORD, type Person, signIn } from '../../../test/support/people.ts'

const service = await useTestApp()
const { client, db } = service
const stepUp = ({ api }: Person, body: object) => api.post('/auth/step-up', body)
/** What every account may do in a fresh session alone. */
const dangerous = ({ api }: Person) => api.post('/auth/factors/totp', {})
const changePolicy = ({ api }: Person) => api.patch('/companies/policy', { sessions: { idleMinutes: 60 } })
const methodsOf = async ({ api }: Person) => (await api.post('/auth/step-up/options')).body.data.methods

describe('stepping up', () => {
  it('makes a session fresh by the password, where the account has no second factor', async () => {
    const ann = await signUpVerified(service)
    const other = await signIn(client, ann.email)
    for (const each of [ann, other]) await ageProofs(service, each)
    for (const attempt of [dangerous, changePolicy]) assertProblem(await attempt(ann), 403, 'reauthentication_required')
    assert.deepEqual(await methodsOf(ann), ['password'])

    const answer = await stepUp(ann, { currentPassword: PASSWORD })
    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body.data), ['authenticated_at'])
    assert.ok(Date.now() - Date.parse(answer.body.data.authenticated_at) < 60_000)
    assert.equal((await dangerous(ann)).status, 201)
    assert.equal((await changePolicy(ann)).status, 200)
    assertProblem(await dangerous(other), 403, 'reauthentication_required')
    const records = await db.query(
      `select target_id from audit_records where actor_id = $1 and action = 'sessions.step_up' and outcome = 'done'`,
      [ann.id],
    )
    assert.deepEqual(records, [{ target_id: ann.sessionId }])
  })

  it('refuses a wrong password, and counts it', async () => {
    const ann = await signUpVerified(service)
    for (let i = 0; i < 10; i++)
      assertProblem(await stepUp(ann, { currentPassword: 'Wrong-horse-7' }), 422, 'current_password_wrong')
    const [attempts] = await db.query('select failures from password_attempts where email = $1', [ann.email])
    assert.equal(attempts?.failures, 10)
  })

  it('takes a second factor and no password, where the account has one', async () => {
    const ann = await signUpVerified(service)
    const app = await addApp(service, ann)
    await ageProofs(service, ann)
    assert.deepEqual(await methodsOf(ann), ['totp', 'recovery_code'])
    assertProblem(await stepUp(ann, { currentPassword: PASSWORD }), 401, 'second_factor_wrong')
    assertProblem(await dangerous(ann), 403, 'reauthentication_required')
    // A guess at the password is not looked at: it has tried nothing.
    assert.deepEqual(await db.query('select from password_attempts where email = $1', [ann.email]), [])

    const code = await app.unusedCode()
    const answer = await stepUp(ann, { code })
    assert.deepEqual(Object.keys(answer.body.data), ['authenticated_at', 'second_factor_at'])
    assert.equal((await dangerous(ann)).status, 201)
    assertProblem(await stepUp(ann, { code }), 401, 'second_factor_wrong')
    await ageProofs(service, ann)
    const [recoveryCode] = app.recoveryCodes
    assert.equal((await stepUp(ann, { recoveryCode })).status, 200)
    assert.equal((await dangerous(ann)).status, 201)
    assertProblem(await stepUp(ann, { recoveryCode }), 401, 'second_factor_wrong')
  })

  it('by wrong codes waits after five of an hour in all sessions, and the owner signs in all the same', async () => {
    const ann = await signUpVerified(service)
    const app = await addApp(service, ann)
    const other = (await confirmSignIn(client, ann, { code: await app.unusedCode() })).body.data
    const thief = client.with({ token: other.accessToken })
    const code = await app.unusedCode()
    const wrong = ['000000', '111111'].find((each) => ![-1, 0, 1].some((step) => app.code(step) === each)) as string
    const statuses: number[] = []
    for (let i = 0; i < 8; i++) statuses.push((await thief.post('/auth/step-up', { code: wrong })).status)
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429])
    const waiting = await stepUp(ann, { code })
    assertProblem(waiting, 429, 'too_many_attempts')
    const seconds = Number(waiting.headers.get('retry-after'))
    assert.ok(seconds > 3500 && seconds <= 3600, String(seconds))
    assert.equal((await service.mailbox.to(ann.email, 'second_factor_guessed')).length, 1)

    const { body, status } = await confirmSignIn(client, ann, { code })
    assert.equal(status, 200)
    const owner = client.with({ token: body.data.accessToken })
    assert.equal((await owner.post('/auth/factors/recovery-codes')).status, 201)
  })

  it('looks at five of twenty wrong codes that come at once, and takes one good code once', async () => {
    const ann = await signUpVerified(service)
    const app = await addApp(service, ann)
    const twenty = async (answer: object) => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => stepUp(ann, answer)))
      return answers.map(({ status }) => status).sort()
    }
    const code = await app.unusedCode()
    const wrong = ['000000', '111111'].find((each) => ![-1, 0, 1].some((step) => app.code(step) === each)) as string
    assert.deepEqual(await twenty({ code: wrong }), [...Array(5).fill(401), ...Array(15).fill(429)])
    for (const answer of [{ code }, { recoveryCode: app.recoveryCodes[0] }]) {
      await db.query('delete from second_factor_attempts where account_id = $1', [ann.id])
      assert.equal((await twenty(answer)).filter((status) => status === 200).length, 1, JSON.stringify(answer))
    }
  })

  it('ends with the row of its account, which is deleted while it is under way', async () => {
    const ann = await signUpVerified(service)
    for (const [path, body] of [
      ['/auth/step-up', { code: '123456' }],
      ['/auth/step-up/options', undefined],
    ] as const) {
      const bob = await addManagedMember(service, ann)
      await addPasskey(service, bob)
      assert.equal((await ann.api.delete(`/companies/${ann.company.id}/members/${bob.id}`)).status, 200)
      await db.query('begin')
      await db.query('delete from accounts where id = $1', [bob.id])
      const answer = bob.api.post(path, body)
      await db.waitForLock()
      await db.query('commit')
      assertProblem(await answer, 401, 'token_invalid')
    }
  })

  it('has nothing to prove a second factor with, where the account has none', async () => {
    const ann = await signUpVerified(service)
    assertProblem(await stepUp(ann, { code: '123456' }), 401, 'second_factor_wrong')
    assertProblem(await stepUp(ann, { recoveryCode: 'QK7M-2V9X-R4TD-8HNP' }), 401, 'second_factor_wrong')
    for (const body of [{}, { currentPassword: PASSWORD, code: '123456' }])
      assertProblem(await stepUp(ann, body), 400, 'validation_failed')
  })

  it('by the password fails when the account gets a second factor meanwhile', async () => {
    const ann = await signUpVerified(service)
    await ageProofs(service, ann)
    await db.query('begin')
    await db.query('select from accounts where id = $1 for update', [ann.id])
    const sent = stepUp(ann, { currentPassword: PASSWORD })
    await db.waitForLock()
    await confirmFactor(db, ann.id)
    await db.query('commit')
    assertProblem(await sent, 401, 'second_factor_wrong')
    const [session] = await db.query(
      `select authenticated_at < now() - interval '9 minutes' as is_old from sessions where id = $1`,
      [ann.sessionId],
    )
    assert.deepEqual(session, { is_old: true })
  })

  it('fails in a session that was revoked meanwhile', async () => {
    const ann = await signUpVerified(service)
    const app = await addApp(service, ann)
    const code = await app.unusedCode()
    await db.query('begin')
    await db.query('select from accounts where id = $1 for update', [ann.id])
    const sent = stepUp(ann, { code })
    await db.waitForLock()
    await db.query(`update sessions set revoked_at = now(), revoked_reason = 'logout' where id = $1`, [ann.sessionId])
    await db.query('commit')
    assertProblem(await sent, 401, 'token_invalid')
    const [factor] = await db.query('select last_used_at < now() as is_old from second_factors where account_id = $1', [
      ann.id,
    ])
    assert.deepEqual(factor, { is_old: true })
  })
})
