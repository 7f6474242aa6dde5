import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { beforeEach, it } from 'node:test'
import type pg from 'pg'
import { startTestApp, useTestApp } from '../../../test/support/app.ts'
import { anyEmail, type Person, signUp } from '../../../test/support/people.ts'
import type { RequestInfo } from '../../access/actors.ts'
import { connect } from '../../database/connections.ts'
import { Database } from '../../database/open.ts'
import { asAccount, byLinkTo } from '../../database/scopes.ts'
import { handleLinkRequests } from './handle-link-requests.ts'
import { requestLink } from './link-requests.ts'

const HOME = '192.0.2.1'
const BOUNDED = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000', TRUST_PROXY: 'loopback' }

const service = await useTestApp(BOUNDED)
beforeEach(() => service.mailbox.forget())

let networks = 0
/** A new network, because each is limited by itself. */
const somewhere = () => `10.${1 + (networks >> 8)}.${networks++ & 255}.7`
const from = (ip: string) => service.client.with({ headers: { 'x-forwarded-for': ip } })

async function ask(email: string, ip = somewhere()): Promise<void> {
  assert.equal((await from(ip).post('/auth/forgot-password', { email })).status, 200)
}

const linksTo = async ({ email }: { email: string }) => (await service.mailbox.to(email, 'reset_password')).length
const waiting = async () => (await service.db.query('select id from link_requests')).length
const letLinkExpire = ({ id }: Person) =>
  service.db.query(`update one_time_links set expires_at = now() where account_id = $1`, [id])
const handle = (failures: unknown[] = []) =>
  handleLinkRequests({ ...service.parts, onFailure: (error) => failures.push(error) })

it('runs the same statements before it answers, whether the address has an account or not', async () => {
  const ann = await signUp(from(somewhere()))
  const stranger = `x${ann.email.slice(1)}`
  const caller: RequestInfo = {
    ip: HOME,
    network: `${HOME}/32`,
    userAgent: 'a-browser',
    requestId: 'a-request',
    elapsedMs: () => 0,
    isDisconnected: () => false,
    idempotencyKey: undefined,
  }
  const statements: string[][] = []

  for (const email of [ann.email, stranger, ann.email, stranger]) {
    const { database, sent } = recording()
    await requestLink({ ...service.parts, database }, 'reset_password', email, caller)
    await database.close()
    statements.push(sent)
  }

  // The first request of a connection also prepares its statements.
  assert.ok((statements[0]?.length ?? 0) > 0)
  for (const sent of statements) assert.deepEqual(sent, statements[0])
  const rows = await service.db.query(
    `select octet_length(email_mac) as mac, octet_length(encrypted_email) as sealed, network, ip, user_agent, request_id,
       to_jsonb(link_requests)::text as text from link_requests`,
  )
  assert.equal(rows.length, 4)
  assert.equal(new Set(rows.map(({ text: _, ...shape }) => JSON.stringify(shape))).size, 1)
  for (const { text } of rows) assert.doesNotMatch(text, /@|example/)
  assert.equal(await linksTo({ email: stranger }), 0)
  // Both requests were handled in one round: the second link invalidated the first one, which is not emailed then.
  assert.equal(await linksTo(ann), 1)
  assert.equal(await waiting(), 0)
})

/** Records every statement that a database sends. */
function recording(): { database: Database; sent: string[] } {
  const sent: string[] = []
  const recorded = <Client extends pg.ClientBase>(client: Client): Client =>
    new Proxy(client, {
      get(target, key) {
        const value = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        if (key !== 'query') return value.bind(target)
        return (query: { text: string }, ...rest: unknown[]) => {
          sent.push(query.text)
          return value.call(target, query, ...rest)
        }
      },
    })
  const connections = connect(service.db.target)
  const database = new Database(service.db.target, {
    ...connections,
    shared: (use) => connections.shared((client) => use(recorded(client))),
    sharedForWrite: (holder, use) => connections.sharedForWrite(holder, (client) => use(recorded(client))),
    exclusive: async () => recorded(await connections.exclusive()),
  })
  return { database, sent }
}

it('handles a request once with several parallel workers', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => signUp(from(somewhere()))))
  for (const { email } of people) await ask(email)

  const failures: unknown[] = []
  await Promise.all(Array.from({ length: 4 }, () => handle(failures)))

  assert.deepEqual(failures, [])
  for (const person of people) assert.equal(await linksTo(person), 1)
  const records = await service.db.query(
    `select target_id, ip, changes from audit_records where action = 'passwords.request_reset' and target_id = any ($1)`,
    [people.map(({ id }) => id)],
  )
  assert.equal(records.length, 6)
  for (const { ip, changes } of records) {
    assert.match(ip, /^10\./)
    assert.deepEqual(changes, { email: { to: 'sent' } })
  }
})

it('retries a failed request, and handles the others meanwhile', async () => {
  const [ann, bob] = [await signUp(from(somewhere())), await signUp(from(somewhere()))]
  await ask(ann.email)
  await ask(bob.email)
  await service.db.query(
    `alter table emails add constraint broken check (recipient_email <> '${ann.email}' or kind <> 'reset_password') not valid`,
  )
  const failures: unknown[] = []
  await handle(failures)
  await service.db.query('alter table emails drop constraint broken')

  assert.equal(failures.length, 1)
  assert.deepEqual([await linksTo(ann), await linksTo(bob), await waiting()], [0, 1, 1])

  await service.db.query('update link_requests set retry_at = now()')
  assert.equal(await linksTo(ann), 1)
})

it('sends nothing when the account changes its address at the same time', async () => {
  const ann = await signUp(from(somewhere()))
  const newEmail = anyEmail()
  await ask(ann.email)
  await service.db.query('begin')
  await service.db.query('update accounts set email = $2 where id = $1', [ann.id, newEmail])

  const handled = handle()
  await service.db.waitForLock()
  await service.db.query('commit')
  await handled

  assert.equal(await linksTo(ann), 0)
  assert.equal(await linksTo({ email: newEmail }), 0)
  assert.equal(await waiting(), 0)
})

it('keeps the last link valid during more than five requests an hour, and emails a new one once it has expired', async () => {
  const ann = await signUp(from(HOME))
  for (let request = 0; request < 8; request++) {
    await ask(ann.email)
    await handle()
  }
  const token = await service.mailbox.token(ann.email, 'reset_password')
  const [row] = await service.db.query(
    `select count(*)::int as count from emails where recipient_email = $1 and kind = 'reset_password'`,
    [ann.email],
  )
  assert.equal(row?.count, 5)

  await letLinkExpire(ann)
  await ask(ann.email)
  const newer = await service.mailbox.token(ann.email, 'reset_password')
  assert.notEqual(newer, token)
  const reset = { token: newer, newPassword: 'Another-horse-8' }
  assert.equal((await from(somewhere()).post('/auth/reset-password', reset)).status, 200)
})

it('gives networks unknown to the account twenty links a day in total, each new one a first link, and known ones their own', async () => {
  const ann = await signUp(from(HOME))
  const sends = async (ip?: string) => {
    await letLinkExpire(ann)
    service.mailbox.forget()
    await ask(ann.email, ip)
    return (await linksTo(ann)) === 1
  }
  for (let day = 0; day < 2; day++) {
    const strangers = Array.from({ length: 20 }, (_, request) => `203.0.${day * 5 + (request % 5)}.${request}`)
    for (const ip of strangers) assert.equal(await sends(ip), true, ip)
    assert.equal(await sends(`203.0.${day * 5}.99`), false)
    assert.equal(await sends(), true)
    assert.equal(await sends(HOME), true)
    await service.db.query(`update sent_links set created_at = created_at - interval '1 day'`)
  }
})

it('gives the networks of one stranger a part of those alone, so that others can still request links', async () => {
  const home = somewhere()
  const ann = await signUp(from(home))
  const sends = async (ip: string) => {
    await letLinkExpire(ann)
    service.mailbox.forget()
    await ask(ann.email, ip)
    return (await linksTo(ann)) === 1
  }
  for (let request = 1; request <= 5; request++) assert.equal(await sends(`198.51.100.${request}`), true)
  assert.equal(await sends('198.51.100.6'), false)
  for (let request = 1; request <= 5; request++) assert.equal(await sends(`2001:db8:5:${request}::1`), true)
  assert.equal(await sends('2001:db8:5:6::1'), false)
  assert.equal(await sends('198.51.101.1'), true)
  assert.equal(await sends(home), true)
})

it('limits links an hour for a network known to the account', async () => {
  const ann = await signUp(from(HOME))
  await service.db.query(
    `insert into sent_links (account_id, purpose, network_is_known) select $1::uuid, 'reset_password', true from generate_series(1, 20)`,
    [ann.id],
  )
  const other = somewhere()
  await ask(ann.email, HOME)
  assert.equal(await linksTo(ann), 0)
  await ask(ann.email, other)
  assert.equal(await linksTo(ann), 1)
})

it('counts exactly under parallel requests from many networks', async () => {
  const ann = await signUp(from(HOME))
  await service.db.query(
    `insert into sent_links (account_id, purpose, network_is_known) select $1::uuid, 'reset_password', false from generate_series(1, 98)`,
    [ann.id],
  )
  await Promise.all(Array.from({ length: 10 }, () => ask(ann.email)))
  await Promise.all(Array.from({ length: 4 }, () => handle()))

  const [row] = await service.db.query(
    `select count(*)::int as count from emails where recipient_email = $1 and kind = 'reset_password'`,
    [ann.email],
  )
  assert.equal(row?.count, 2)
})

it('queues few requests for one address from one network, and never at the expense of another network', async () => {
  const free = await startTestApp({ TRUST_PROXY: 'loopback' }, service.db)
  const ann = await signUp(free.client)
  const askFrom = (ip: string) =>
    free.client.post('/auth/forgot-password', { email: ann.email }, { headers: { 'x-forwarded-for': ip } })
  for (let request = 0; request < 9; request++) assert.equal((await askFrom('198.51.100.1')).status, 200)
  assert.equal(await waiting(), 5)

  await askFrom('198.51.100.2')

  assert.equal(await waiting(), 6)
  await free.mailbox.collect()
  await free.close()
})

it('drops a request that is older than an hour', async () => {
  const ann = await signUp(from(somewhere()))
  await ask(ann.email)
  await service.db.query(`update link_requests set created_at = now() - interval '61 minutes'`)

  assert.equal(await linksTo(ann), 0)
  await service.db.query('delete from link_requests')
})

it('reads requests that were sealed with the previous secret, and drops unreadable ones', async () => {
  const [older, newer] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  const node = (settings: Record<string, string>) => startTestApp(settings, service.db)
  const first = await node({ APP_SECRET: older })
  const [ann, bob] = [await signUp(first.client), await signUp(first.client)]

  await first.client.post('/auth/forgot-password', { email: ann.email })
  const second = await node({ APP_SECRET: newer, APP_SECRET_PREVIOUS: older })
  assert.equal((await second.mailbox.to(ann.email, 'reset_password')).length, 1)
  await first.client.post('/auth/forgot-password', { email: bob.email })
  const third = await node({ APP_SECRET: newer })
  assert.equal((await third.mailbox.to(bob.email, 'reset_password')).length, 0)

  assert.equal(await waiting(), 0)
  await Promise.all([first.close(), second.close(), third.close()])
})

it('waits for no connection behind the sessions of the account, or links to other mailboxes, which may be an intruder’s', async () => {
  const ann = await signUp(from(somewhere()))
  await ask(ann.email)
  const token = await service.mailbox.token(ann.email, 'reset_password')
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  // More than the share of an account.
  const scopes = [asAccount(ann.id), byLinkTo(ann.id, 'verify')]
  const writes = scopes.flatMap((scope) => Array.from({ length: 4 }, () => service.database.write(scope, () => isOver)))
  const reset = await from(somewhere()).post('/auth/reset-password', { token, newPassword: 'Another-horse-8' })
  end()
  await Promise.allSettled(writes)
  assert.equal(reset.status, 200)
})
