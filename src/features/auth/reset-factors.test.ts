import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { startTestApp, type TestApp, useTestApp } from '../../../test/support/app.ts'
import { addApp, challengeFor, confirmSignIn, signUpVerified } from '../../../test/support/factors.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { addPasskey } from '../../../test/support/passkeys.ts'
import { anyEmail, assertProblem, type Person, signIn } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'
import { reportNode } from '../nodes/nodes.ts'
import { disableAccount, enableAccount } from './disable-account.ts'
import { findAccountDetails, removePasswords } from './operated-accounts.ts'
import { announceFactorReset, carryOutFactorResets, withdrawFactorReset } from './reset-factors.ts'

const service = await useTestApp()
const { client, database, db, mailbox } = service

const announce = ({ id }: Person, reason?: string) => announceFactorReset(database, OPERATOR, id, reason)
const cancel = (token: string) => client.post('/auth/cancel-factor-reset', { token })
const check = async (token: string) => (await client.post('/auth/cancel-factor-reset/check', { token })).status
const tokenTo = ({ email }: Person) => mailbox.token(email, 'factor_reset_announced')
const factorsOf = async ({ id }: Person) =>
  (await db.query('select id from second_factors where account_id = $1', [id])).length
const detailsOf = ({ id }: Person) => findAccountDetails({ database }, id)
async function changeAddress({ api }: Person, email: string): Promise<void> {
  assert.equal((await api.put('/auth/profile', { email })).status, 200)
  const token = await mailbox.token(email, 'change_email')
  assert.equal((await client.post('/auth/verify-email', { token })).status, 200)
}
/** As if the factors had been added long ago, so that no undo of a change of address takes them along. */
const withdrawUndos = async ({ id }: Person) => {
  await db.query('delete from factor_change_undos where account_id = $1', [id])
  await db.query(`update second_factors set confirmed_at = confirmed_at - interval '4 days' where account_id = $1`, [
    id,
  ])
}
const recordsOf = ({ id }: Person) =>
  db.query(
    `select action, actor_kind, actor_name, changes from audit_records
     where target_id = $1 and outcome = 'done' and action like 'factors.%reset' order by id`,
    [id],
  )

/** As if the announcement had been sent a day ago. */
async function letDayPass(): Promise<void> {
  await mailbox.all()
  await db.query(`update factor_resets set due_at = due_at - interval '24 hours'`)
  await db.query(`update emails set finished_at = finished_at - interval '24 hours' where finished_at is not null`)
}

async function work(on: TestApp = service): Promise<string[]> {
  return (await outcomesOf(on)).done
}

async function outcomesOf(on: TestApp): Promise<{ done: string[]; lapsed: string[] }> {
  const [done, lapsed]: [string[], string[]] = [[], []]
  const onFailure = (error: Error) => {
    throw error
  }
  const [onReset, onLapse] = [(id: string) => done.push(id), (id: string) => lapsed.push(id)]
  await carryOutFactorResets(on, { signal: new AbortController().signal, onReset, onLapse, onFailure })
  return { done, lapsed }
}

async function withFactors() {
  const ann = await signUpVerified(service)
  const before = await signIn(client, ann.email)
  const app = await addApp(service, ann)
  await addPasskey(service, ann)
  return { ann, before, app }
}

describe('a removal of second factors that an operator has announced', () => {
  it('takes effect a day after its email, and takes factors, codes and sessions along', async () => {
    const { ann, before, app } = await withFactors()
    const { isChanged } = await announce(ann, 'lost phone')
    assert.equal(isChanged, true)
    assert.deepEqual(await work(), [])
    const challenge = await challengeFor(client, ann)
    await letDayPass()

    assert.deepEqual(await work(), [ann.id])
    assert.equal(await factorsOf(ann), 0)
    assert.deepEqual(await db.query('select from recovery_codes where account_id = $1', [ann.id]), [])
    for (const { api } of [ann, before]) assertProblem(await api.get('/auth/me'), 401, 'token_invalid')
    const late = { challenge, recoveryCode: app.recoveryCodes[0] }
    assertProblem(await client.post('/auth/login/second-factor', late), 401, 'second_factor_wrong')
    assert.equal((await signIn(client, ann.email)).id, ann.id)
    assert.equal((await mailbox.to(ann.email, 'factor_reset_done')).length, 1)
    const [by, reason] = [{ actor_kind: 'operator', actor_name: OPERATOR.name }, { to: 'lost phone' }]
    assert.deepEqual(await recordsOf(ann), [
      { action: 'factors.announce_reset', ...by, changes: { reason } },
      { action: 'factors.reset', ...by, changes: { factors: { from: ['totp', 'passkey'] }, reason } },
    ])
    assert.deepEqual(await work(), [])
  })

  it('is carried out once by any number of nodes', async () => {
    const { ann } = await withFactors()
    await announce(ann)
    await letDayPass()
    const node = await startTestApp({}, db)
    try {
      const done = await Promise.all([work(), work(node), work(), work(node)])
      assert.deepEqual(done.flat(), [ann.id])
    } finally {
      await node.close()
    }
    assert.equal((await mailbox.to(ann.email, 'factor_reset_done')).length, 1)
  })

  it('is cancelled by the link in its email, once, and nothing else changes', async () => {
    const { ann, app } = await withFactors()
    await announce(ann)
    const token = await tokenTo(ann)
    assert.equal(await check(token), 200)
    const answers = await Promise.all(Array.from({ length: 4 }, () => cancel(token)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400])
    assert.equal(await check(token), 400)
    await letDayPass()
    assert.deepEqual(await work(), [])
    assert.equal(await factorsOf(ann), 2)
    assert.equal((await ann.api.get('/auth/me')).status, 200)
    assert.equal((await confirmSignIn(client, ann, { code: await app.unusedCode() })).status, 200)
    const [, cancelled] = await recordsOf(ann)
    const by = { actor_kind: 'person', actor_name: ann.name }
    assert.deepEqual(cancelled, { action: 'factors.cancel_reset', ...by, changes: {} })
  })

  it('announced again after it was cancelled has another link', async () => {
    const { ann } = await withFactors()
    await announce(ann)
    const former = await tokenTo(ann)
    assert.equal(await withdrawFactorReset(database, OPERATOR, ann.id, undefined), true)
    assert.equal(await withdrawFactorReset(database, OPERATOR, ann.id, undefined), false)
    await announce(ann)
    assertProblem(await cancel(former), 400, 'link_invalid')
    assert.equal((await cancel(await tokenTo(ann))).status, 200)
  })

  it('is over when the last factor is removed in another way, and leaves those that are added afterwards', async () => {
    const ann = await signUpVerified(service)
    const { factorId } = await addApp(service, ann)
    await announce(ann)
    assert.equal((await ann.api.delete(`/auth/factors/${factorId}`)).status, 200)
    await addApp(service, ann)
    await letDayPass()
    assert.deepEqual(await work(), [])
    assert.equal(await factorsOf(ann), 1)
  })

  it('waits while its email could not be sent', async () => {
    const { ann } = await withFactors()
    await announce(ann)
    await letDayPass()
    const email = `emails where recipient_email = $1 and kind = 'factor_reset_announced'`
    await db.query(`update ${email.replace(' where', ` set status = 'failed' where`)}`, [ann.email])
    assert.deepEqual(await work(), [])
    await db.query(`update ${email.replace(' where', ` set status = 'sent', finished_at = now() where`)}`, [ann.email])
    assert.deepEqual(await work(), [])
    await letDayPass()
    assert.deepEqual(await work(), [ann.id])
  })

  it('lapses when the account gets another address, whose owner was not told', async () => {
    const { ann } = await withFactors()
    await announce(ann)
    const token = await tokenTo(ann)
    await db.query('update accounts set email = $1 where id = $2', [anyEmail(), ann.id])
    assertProblem(await cancel(token), 400, 'link_invalid')
    await letDayPass()
    assert.deepEqual(await work(), [])
    assert.equal(await factorsOf(ann), 2)
  })

  for (const undone of [false, true])
    it(`is over for good with a change of address, also where that is ${undone ? 'undone' : 'changed back'}`, async () => {
      const { ann } = await withFactors()
      await withdrawUndos(ann)
      await announce(ann)
      const token = await tokenTo(ann)
      await changeAddress(ann, anyEmail())
      if (undone) {
        const undo = await mailbox.token(ann.email, 'email_changed')
        assert.equal((await client.post('/auth/undo-email-change', { token: undo })).status, 200)
      } else await changeAddress(ann, ann.email)

      assertProblem(await cancel(token), 400, 'link_invalid')
      assert.equal((await detailsOf(ann))?.factorResetDueAt, null)
      await letDayPass()
      assert.deepEqual(await outcomesOf(service), { done: [], lapsed: [] })
      assert.equal(await factorsOf(ann), 2)
      assert.equal((await announce(ann)).isChanged, true)
      assert.equal((await cancel(await tokenTo(ann))).status, 200)
    })

  it('is over when the owner takes the account back from an intruder, and not when an operator removes the password', async () => {
    const { ann } = await withFactors()
    await announce(ann)
    const undo = await mailbox.token(ann.email, 'second_factor_added')
    await removePasswords(service, OPERATOR, ann.id, undefined)
    assert.ok((await detailsOf(ann))?.factorResetDueAt)
    assert.equal((await client.post('/auth/undo-factor-change', { token: undo })).status, 200)
    assert.equal((await detailsOf(ann))?.factorResetDueAt, null)
    assert.equal(await factorsOf(ann), 1)
    await letDayPass()
    assert.deepEqual(await outcomesOf(service), { done: [], lapsed: [] })
    assert.equal(await factorsOf(ann), 1)
  })

  it('lapses when the secret that its link was made with is accepted no more, so that its owner could not cancel it', async () => {
    const { ann } = await withFactors()
    await announce(ann)
    const token = await tokenTo(ann)
    const report = ({ database, keys }: TestApp) =>
      reportNode(database, { id: newId(), host: 'a', version: '1.0.0', keys })
    await report(service)
    await db.query(`update signing_keys set first_seen_at = first_seen_at - interval '1 year'`)
    const after = (settings: Record<string, string>) => startTestApp(settings, db)
    const APP_SECRET = randomBytes(32).toString('base64url')
    const rotated = await after({ APP_SECRET, APP_SECRET_PREVIOUS: service.parts.config.appSecret })
    const leaked = await after({ APP_SECRET })
    try {
      for (const node of [rotated, leaked]) await report(node)
      await letDayPass()
      const checked = ({ client }: TestApp) => client.post('/auth/cancel-factor-reset/check', { token })
      assert.equal((await checked(rotated)).status, 200)
      assertProblem(await checked(leaked), 400, 'link_invalid')
      assert.deepEqual(await outcomesOf(leaked), { done: [], lapsed: [ann.id] })
      assert.equal(await factorsOf(ann), 2)

      assert.equal((await announce(ann)).isChanged, true)
      await letDayPass()
      assert.deepEqual(await outcomesOf(rotated), { done: [ann.id], lapsed: [] })
    } finally {
      await leaked.close()
      await rotated.close()
    }
  })

  it('is carried out while the account is disabled, so that what an intruder has added is gone before it is enabled', async () => {
    const { ann } = await withFactors()
    await disableAccount(database, OPERATOR, ann.id, { notifies: false })
    await announce(ann)
    await letDayPass()
    assert.deepEqual(await work(), [ann.id])
    await enableAccount(database, OPERATOR, ann.id, { notifies: false })
    assert.equal((await signIn(client, ann.email)).id, ann.id)
  })

  it('is not undone by a sign-in with a factor, which an intruder may have', async () => {
    const { ann, app } = await withFactors()
    await announce(ann)
    assert.equal((await confirmSignIn(client, ann, { code: await app.unusedCode() })).status, 200)
    await letDayPass()
    assert.deepEqual(await work(), [ann.id])
  })
})
