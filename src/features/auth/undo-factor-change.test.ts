import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addApp, challengeFor, confirmMailbox, signUpVerified } from '../../../test/support/factors.ts'
import { assertProblem, PASSWORD, type Person, signIn } from '../../../test/support/people.ts'

const service = await useTestApp()
const { client, db, mailbox } = service
const NEW_PASSWORD = 'Another-horse-8'

const undo = (token: string) => client.post('/auth/undo-factor-change', { token })
const check = async (token: string) => (await client.post('/auth/undo-factor-change/check', { token })).status
const factorsOf = async ({ api }: Pick<Person, 'api'>) => (await api.get('/auth/factors')).body.data
const tokenIn = (
  { email }: Pick<Person, 'email'>,
  kind: 'second_factor_added' | 'second_factor_removed' | 'recovery_codes_created',
) => mailbox.token(email, kind)
async function comeBack({ email }: Person): Promise<void> {
  const token = await mailbox.token(email, 'factor_change_undone')
  assert.equal((await client.post('/auth/reset-password', { token, newPassword: NEW_PASSWORD })).status, 200)
}

describe('the link in the email about a change of second factors', () => {
  it('removes an added factor, its codes, the password and all sessions, once', async () => {
    const ann = await signUpVerified(service)
    await addApp(service, ann)
    const token = await tokenIn(ann, 'second_factor_added')
    assert.equal(await check(token), 200)

    const answers = await Promise.all(Array.from({ length: 5 }, () => undo(token)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400])
    assert.equal(await check(token), 400)
    assertProblem(await ann.api.get('/auth/me'), 401, 'token_invalid')
    assertProblem(await client.post('/auth/login', { email: ann.email, password: PASSWORD }), 401, 'credentials_wrong')
    await comeBack(ann)
    const owner = await signIn(client, ann.email, NEW_PASSWORD)
    assert.deepEqual(await factorsOf(owner), { factors: [], recoveryCodesLeft: 0, required_by: [] })
    const records = await db.query(`select id from audit_records where action = 'factors.undo' and target_id = $1`, [
      ann.id,
    ])
    assert.equal(records.length, 1)
  })

  it('leaves factors of before, so that the reader of a mailbox gets around none of them', async () => {
    const ann = await signUpVerified(service)
    const { unusedCode } = await addApp(service, ann)
    const first = await tokenIn(ann, 'second_factor_added')
    await db.query(`update factor_change_undos set expires_at = now() where account_id = $1`, [ann.id])
    await addApp(service, ann)
    assertProblem(await undo(first), 400, 'link_invalid')
    assert.equal((await undo(await tokenIn(ann, 'second_factor_added'))).status, 200)
    await comeBack(ann)
    const challenge = await challengeFor(client, ann, NEW_PASSWORD)
    const confirmed = await client.post('/auth/login/second-factor', { challenge, code: await unusedCode() })
    assert.equal(confirmed.status, 200)
    const api = client.with({ token: confirmed.body.data.accessToken })
    const { factors, recoveryCodesLeft } = await factorsOf({ api })
    assert.deepEqual([factors.length, recoveryCodesLeft], [1, 0])
  })

  it('of a removal or of new codes undoes what came after it', async () => {
    for (const kind of ['second_factor_removed', 'recovery_codes_created'] as const) {
      const ann = await signUpVerified(service)
      const { factorId } = await addApp(service, ann)
      const stays = await addApp(service, ann)
      if (kind === 'recovery_codes_created') await ann.api.post('/auth/factors/recovery-codes')
      else await ann.api.delete(`/auth/factors/${factorId}`)
      const token = await tokenIn(ann, kind)
      if (kind === 'second_factor_removed') await addApp(service, ann)
      assert.equal((await undo(token)).status, 200)
      const left = await db.query('select id from second_factors where account_id = $1', [ann.id])
      const expected = kind === 'second_factor_removed' ? [stays.factorId] : [factorId, stays.factorId]
      assert.deepEqual(left.map(({ id }) => id).sort(), expected.sort())
      const codes = await db.query('select from recovery_codes where account_id = $1', [ann.id])
      assert.equal(codes.length, 0)
    }
  })

  it('ends those of later changes, and not those of earlier ones', async () => {
    const ann = await signUpVerified(service)
    const tokens = []
    for (let nth = 0; nth < 3; nth++) {
      await ann.api.post('/auth/factors/recovery-codes')
      if (nth < 2) await addApp(service, ann)
      tokens.push(await tokenIn(ann, 'second_factor_added'))
    }
    const [first, second] = tokens as [string, string]
    assert.equal((await undo(first)).status, 200)
    assertProblem(await undo(second), 400, 'link_invalid')

    const bob = await signUpVerified(service)
    await addApp(service, bob)
    const earlier = await tokenIn(bob, 'second_factor_added')
    await addApp(service, bob)
    assert.equal((await undo(await tokenIn(bob, 'second_factor_added'))).status, 200)
    assert.equal(await check(earlier), 200)
    const [told] = await mailbox.to(bob.email, 'factor_change_undone')
    assert.match(told?.text ?? '', /added before it still sign in\. If another email tells of one that isn’t yours/)
  })

  it('is worth nothing while the account has another address, and after three days', async () => {
    const ann = await signUpVerified(service)
    await addApp(service, ann)
    const token = await tokenIn(ann, 'second_factor_added')
    await db.query(`update accounts set email = 'x' || email where id = $1`, [ann.id])
    assertProblem(await undo(token), 400, 'link_invalid')
    assert.equal((await factorsOf(ann)).factors.length, 1)
    await db.query('update accounts set email = substr(email, 2) where id = $1', [ann.id])
    await db.query(
      `update factor_change_undos set expires_at = expires_at - interval '72 hours' where account_id = $1`,
      [ann.id],
    )
    assertProblem(await undo(token), 400, 'link_invalid')
  })

  it('outlives a change of password, and no other link passes for it', async () => {
    const ann = await signUpVerified(service)
    await client.post('/auth/forgot-password', { email: ann.email })
    assertProblem(await undo(await mailbox.token(ann.email, 'reset_password')), 400, 'link_invalid')
    await addApp(service, ann)
    const token = await tokenIn(ann, 'second_factor_added')
    assertProblem(await client.post('/auth/reset-password', { token, newPassword: NEW_PASSWORD }), 400, 'link_invalid')
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    assert.equal((await ann.api.post('/auth/change-password', change)).status, 200)
    await confirmMailbox(service, ann)
    assert.equal((await undo(token)).status, 200)
    assertProblem(await undo(`${token.slice(0, -1)}A`), 400, 'link_invalid')
  })
})
