import assert from 'node:assert/strict'
import { afterEach, it } from 'node:test'
import { startTestApp, useTestApp } from '../../../test/support/app.ts'
import { confirmMailbox } from '../../../test/support/factors.ts'
import { accept, invitationToken, invite } from '../../../test/support/invitations.ts'
import { link } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { until } from '../../../test/support/until.ts'

const service = await useTestApp()
const { db } = service
afterEach(() => db.query('rollback'))

const lock = async (person: Person, mode: 'share' | 'update') => {
  await db.query('begin')
  await db.query(`select from accounts where id = $1 for ${mode}`, [person.id])
}

it('a company that adds an account takes its turn: it joins no other that has the lock, and so keeps it from no sign-in', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  await lock(ann, 'share')
  const adding = bob.api.post('/companies/users', { name: 'Ann', email: ann.email })
  await db.waitForLock()
  await db.query('rollback')
  assert.equal((await adding).status, 201)
})

it('an owner who offers ownership takes a turn, too', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  const there = await link(ann, bob)
  assert.equal((await there.api.get(`/companies/${ann.company.id}`)).status, 200)
  await lock(ann, 'share')
  const offering = ann.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: bob.id })
  await db.waitForLock()
  await db.query('rollback')
  assert.equal((await offering).status, 201)
})

it('an invitation waits for no account', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  await lock(ann, 'update')
  await invite(bob, { email: ann.email })
})

it('an account that is busy is not waited for by the company that it joins, and joins later', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  const token = await invitationToken(service, await invite(bob, { email: ann.email }))
  await confirmMailbox(service, ann)
  await lock(ann, 'update')
  assertProblem(await accept(ann, token), 503, 'database_unavailable')
  await db.query('rollback')
  assert.equal((await accept(ann, token)).status, 200)
})

it('an account that is free again in time joins in the same request', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  const token = await invitationToken(service, await invite(bob, { email: ann.email }))
  await confirmMailbox(service, ann)
  await lock(ann, 'update')
  const accepting = accept(ann, token)
  const first = await waitingSince()
  await until(async () => (await waitingSince()) > first)
  await db.query('rollback')
  assert.equal((await accepting).status, 200)
})

it('a company that has only added an account is refused to reset what opens it without waiting for it', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  await link(bob, ann)
  await lock(ann, 'update')
  for (const what of ['reset-password', 'reset-second-factor'])
    assertProblem(await bob.api.post(`/companies/users/${ann.id}/${what}`), 403, 'account_not_managed')
})

it('an owner who offers ownership again waits for the account before the former offer is locked', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  const there = await link(ann, bob)
  assert.equal((await there.api.get(`/companies/${ann.company.id}`)).status, 200)
  const offer = () => ann.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: bob.id })
  assert.equal((await offer()).status, 201)
  await db.query('update ownership_offers set expires_at = now()')
  await lock(ann, 'update')
  const offering = offer()
  await db.waitForLock()
  await db.query('select from ownership_offers for update nowait')
  await db.query('rollback')
  assert.equal((await offering).status, 201)
})

it('a change of address waits for the companies that added the former one before the account is locked', async () => {
  const strict = await startTestApp({ REQUIRE_VERIFIED_EMAIL: 'true' }, db)
  try {
    const [ann, bob] = [await signUp(strict.client), await signUp(strict.client)]
    await db.query('update accounts set email_verified_at = null where id = $1', [ann.id])
    await link(bob, ann)
    const email = anyEmail()
    assert.equal((await ann.api.put('/auth/profile', { email })).status, 200)
    const token = await strict.mailbox.token(email, 'change_email')
    await db.query('begin')
    await db.query('select from companies where id = $1 for update', [bob.company.id])
    const changing = strict.client.post('/auth/verify-email', { token })
    await db.waitForLock()
    await db.query('select from accounts where id = $1 for update nowait', [ann.id])
    await db.query('rollback')
    assert.equal((await changing).status, 200)
    const left = await db.query('select company_id from memberships where account_id = $1', [ann.id])
    assert.deepEqual(left, [{ company_id: ann.company.id }])
  } finally {
    await strict.close()
  }
})

/** When the transaction began that waits for a lock. */
async function waitingSince(): Promise<number> {
  await db.waitForLock()
  // Within a transaction it shows what the first look at it found.
  await db.query('select pg_stat_clear_snapshot()')
  const [row] = await db.query<{ began: number }>(
    `select extract(epoch from max(xact_start))::float8 as began from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return row?.began ?? 0
}
