import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { startTestApp, type TestApp, useTestApp } from '../../../test/support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { until } from '../../../test/support/until.ts'
import { disableAccount } from './disable-account.ts'

const service = await useTestApp()
const { client, db } = service

/** As many more sessions of the account, last used an hour before its others, one after the other. */
const addSessions = ({ id }: Person, count: number, into: TestDatabase = db) =>
  into.query(
    `insert into sessions (id, account_id, refresh_id, refresh_expires_at, expires_at, last_used_at, user_agent, ip, methods, password_class)
     select gen_random_uuid(), $1, gen_random_uuid(), now() + interval '7 days', now() + interval '30 days',
       now() - interval '1 hour' - make_interval(secs => number), 'number ' || number, '127.0.0.1', '{pwd}', 12
     from generate_series(1, $2::integer) as number`,
    [id, count],
  )

const countLive = async ({ id }: Person) =>
  (await db.query('select from sessions where account_id = $1 and revoked_at is null', [id])).length

it('An account has 10,000 sessions at most: those that were not used for longest make room', async () => {
  const ann = await signUp(client)
  const { accessToken } = await signIn(client, ann.email)
  await addSessions(ann, 9999)
  await signIn(client, ann.email)
  assert.equal(await countLive(ann), 10_000)
  const ended = await db.query(
    'select user_agent, revoked_reason from sessions where account_id = $1 and revoked_at is not null order by 1',
    [ann.id],
  )
  assert.deepEqual(
    ended,
    [9998, 9999].map((number) => ({ user_agent: `number ${number}`, revoked_reason: 'too_many_sessions' })),
  )
  for (const token of [ann.accessToken, accessToken])
    assert.equal((await client.get('/auth/me', { token })).status, 200)
})

it('Sessions are ended however many there are: by their owner, and by an operator', async () => {
  const [ann, bob, carl] = [await signUp(client), await signUp(client), await signUp(client)]
  for (const person of [ann, bob, carl]) await addSessions(person, 10_000)
  // As on a slow disk: all of them would take longer than a statement may.
  await db.query(`create function slow_end() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.001) where random() < 0.2; return new; end $$`)
  await db.query(
    'create trigger slow_end before update of revoked_at, password_class on sessions for each row execute function slow_end()',
  )

  const others = await ann.api.delete('/auth/sessions')
  assert.deepEqual([others.status, others.body.data], [200, { ended: 10_000 }])
  assert.equal(await countLive(ann), 1)
  const { endedSessions } = await disableAccount(service.database, OPERATOR, bob.id, { notifies: false })
  assert.deepEqual([endedSessions, await countLive(bob)], [10_001, 0])
  assertProblem(await bob.api.get('/auth/me'), 401, 'token_invalid')
  const change = { currentPassword: PASSWORD, newPassword: 'Another-horse-8' }
  assert.equal((await carl.api.post('/auth/change-password', change)).status, 200)
  assert.equal(await countLive(carl), 1)
  await db.query('drop function slow_end cascade')
})

it('The networks of an account are forgotten however many there are, except the one of a new password', async () => {
  const ann = await signUp(client)
  await db.query(
    `insert into known_networks (account_id, network)
     select $1, ('2001:db8:' || to_hex(number) || '::/64')::cidr from generate_series(1, 10000) as number`,
    [ann.id],
  )
  // As on a slow disk: all of them would take longer than a statement may.
  await db.query(`create function slow_end() returns trigger language plpgsql as
    $$ begin perform pg_sleep(0.001) where random() < 0.2; return old; end $$`)
  await db.query('create trigger slow_end before delete on known_networks for each row execute function slow_end()')
  const change = { currentPassword: PASSWORD, newPassword: 'Another-horse-8' }
  assert.equal((await ann.api.post('/auth/change-password', change)).status, 200)
  const left = await db.query('select network::text from known_networks where account_id = $1', [ann.id])
  assert.deepEqual(left, [{ network: '127.0.0.1/32' }])
  await db.query('drop function slow_end cascade')
})

it('A sign-in from a new network with a new device reads few of the sessions, however many have ended', async () => {
  const own = await createTestDatabase()
  after(() => own.drop())
  const ann = await withService(own, ({ client }) => signUp(client))
  await addSessions(ann, 20_000, own)
  await own.query(
    `update sessions set revoked_at = now(), revoked_reason = case when random() < 0.5 then 'signed_out' else 'too_many_sessions' end
     where user_agent like 'number%'`,
  )
  await own.query('delete from known_networks')
  await own.query('analyze sessions')
  const before = await countReads(own)
  const emails = await withService(own, async ({ client, mailbox }) => {
    const headers = { 'user-agent': 'Never seen before' }
    assert.equal((await client.post('/auth/login', { email: ann.email, password: PASSWORD }, { headers })).status, 200)
    return mailbox.to(ann.email, 'new_sign_in')
  })
  assert.equal(emails.length, 1)
  const reads = (await countReads(own)) - before
  assert.ok(reads < 100, `${reads} rows`)
})

/** A connection that ends reports what it has read. */
async function withService<Result>(own: TestDatabase, use: (service: TestApp) => Promise<Result>): Promise<Result> {
  const other = await startTestApp({}, own)
  try {
    return await use(other)
  } finally {
    await other.close()
    const connected = `select from pg_stat_activity where usename = 'tenantry' and datname = current_database()`
    await until(async () => (await own.query(connected)).length === 0)
  }
}

async function countReads(own: TestDatabase): Promise<number> {
  // Of this connection itself, which would report them later.
  await own.query('select pg_stat_force_next_flush()')
  const [row] = await own.query<{ reads: string }>(
    `select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as reads from pg_stat_user_tables where relname = 'sessions'`,
  )
  return Number(row?.reads)
}
