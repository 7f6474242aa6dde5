import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { type MailServer, openTestOutbox, startMailServer, type TestOutbox } from '../../../../test/support/mail.ts'
import { until } from '../../../../test/support/until.ts'
import { Database } from '../../../database/open.ts'
import { linkIdFrom } from '../../../lib/secrets.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { type Claim, claimDueEmails } from './outbox.ts'

/** No delivery is under way. */
const FREE = { emailsMax: 10, perDomain: 3, underWay: [], afterDomain: '' }

let outbox: TestOutbox
let server: MailServer

before(async () => {
  server = await startMailServer()
})
beforeEach(async () => {
  outbox = await openTestOutbox()
  server.received.length = 0
  server.refuse = () => undefined
})
afterEach(() => outbox.close())
after(() => server.close())

const recipients = () => server.received.flatMap((email) => email.recipients)

/** Deliveries that wait for each other: none hands an email over before each has one, so that each worker claims some. */
function deliveriesOfEach(count: number): Delivery[] {
  const { promise: eachHasOne, resolve } = Promise.withResolvers<void>()
  const withEmail = new Set<number>()
  return Array.from({ length: count }, (_, index) => {
    const delivery = server.delivery()
    return {
      ...delivery,
      async deliver(message, signal) {
        if (withEmail.add(index).size === count) resolve()
        await eachHasOne
        await delivery.deliver(message, signal)
      },
    }
  })
}

describe('an email in the outbox', () => {
  it('is delivered once, with both parts and a link whose secret is in no row', async () => {
    const secretId = await outbox.link('reset_password', 'ann@example.com')
    const id = await outbox.enqueue('reset_password', 'ann@example.com', {}, { secretId })
    const worker = outbox.worker(server.delivery())

    assert.equal(await worker.deliverDue(), 1)
    assert.equal(await worker.deliverDue(), 0)

    assert.deepEqual(recipients(), ['ann@example.com'])
    const { text = '', html } = server.received[0]?.mail ?? {}
    const token = /^https:\/\/app\.example\.com\/reset-password\?token=([\w-]+)&lang=en$/m.exec(text)?.[1] ?? ''
    assert.equal(linkIdFrom(outbox.keys, token), secretId)
    assert.ok(String(html).includes(`href="https://app.example.com/reset-password?token=${token}&#38;lang=en"`))
    const { status, attempts, last_error } = await outbox.row(id)
    assert.deepEqual({ status, attempts, last_error }, { status: 'sent', attempts: 1, last_error: null })
    const rows = JSON.stringify(await outbox.db.query('select * from emails'))
    assert.ok(!rows.includes(token))
    assert.ok(!outbox.logged.join().includes(token))
  })

  it('is delivered by the loop', async () => {
    const worker = outbox.worker(server.delivery(), { idle: false })
    await outbox.enqueue('password_changed', 'ann@example.com', {})

    await until(() => server.received.length === 1)
    await until(() => worker.tally().sent === 1)
    assert.ok(worker.healthy())
    await worker.stop()
    assert.ok(!worker.healthy())
  })

  it('is sent once each when two workers claim fifty at once', async () => {
    const addresses = Array.from({ length: 50 }, (_, number) => `ann${number}@example.com`)
    for (const address of addresses) await outbox.enqueue('password_changed', address, {})
    const isPending = async () =>
      (await outbox.db.query(`select from emails where status = 'pending' limit 1`)).length > 0
    const workers = deliveriesOfEach(2).map((delivery) => outbox.worker(delivery))

    const taken = await Promise.all(
      workers.map(async (worker) => {
        let emails = 0
        while (await isPending()) emails += await worker.deliverDue()
        return emails
      }),
    )

    assert.equal(
      taken.reduce((sum, emails) => sum + emails),
      50,
    )
    assert.deepEqual(recipients().sort(), addresses.sort())
  })

  it('waits for no other domain, however many emails of that one are due', async () => {
    const enqueue = (email: string, count: number, age: string) =>
      outbox.db.query(`insert into emails (id, kind, recipient_email, recipient_name, expires_at, next_attempt_at)
        select gen_random_uuid(), 'password_changed', '${email}', 'Ann', now() + interval '1 hour', now() - interval '${age}'
        from generate_series(1, ${count})`)
    await enqueue('ann@big.example', 300, '1 hour')
    await enqueue('bob@small.example', 5, '1 second')
    for (let index = 0; index < 60; index++) await enqueue(`eve@a${index}.example`, 1, '1 minute')

    const domains = ({ emails }: Claim) => emails.map(({ recipient }) => recipient.email.split('@')[1] ?? '')
    const first = await claimDueEmails(outbox.database, { ...FREE, emailsMax: 5 })
    assert.equal(domains(first).filter((domain) => domain === 'big.example').length, 1)

    const underWay = ['big.example', 'big.example', 'big.example']
    const claimed = new Set<string>()
    for (let claim = first, rounds = 0; rounds < 20; rounds++) {
      for (const domain of domains(claim)) claimed.add(domain)
      claim = await claimDueEmails(outbox.database, { ...FREE, underWay, afterDomain: claim.lastDomain })
      assert.ok(!domains(claim).includes('big.example'))
    }
    assert.equal(claimed.size, 62)
  })

  it('is claimed once when many workers claim at the same moment', async () => {
    await outbox.db.query(`insert into emails (id, kind, recipient_email, recipient_name, expires_at)
      select gen_random_uuid(), 'password_changed', 'ann@example.com', 'Ann', now() + interval '1 hour' from generate_series(1, 400)`)
    const databases = Array.from({ length: 8 }, () => new Database(outbox.db.target))

    const taken: string[] = []
    for (let before = -1; before < taken.length; ) {
      before = taken.length
      const rounds = await Promise.all(
        databases.map((database) => claimDueEmails(database, { ...FREE, perDomain: 10 })),
      )
      taken.push(...rounds.flatMap(({ emails }) => emails.map(({ id }) => id)))
    }
    await Promise.all(databases.map((database) => database.close()))

    assert.equal(taken.length, 400)
    assert.equal(new Set(taken).size, 400)
  })

  it('is claimed by one worker only, for less than a minute', async () => {
    const id = await outbox.enqueue('password_changed', 'ann@example.com', {})
    server.refuse = () => 'silence'
    const first = outbox.worker(server.delivery(), { deliveryMs: 500 })
    const round = first.deliverDue()
    await until(async () => (await outbox.row(id)).claimed_for !== null)

    const { claimed_for } = await outbox.row(id)
    assert.ok(claimed_for && claimed_for > 30 && claimed_for < 60, `${claimed_for} s`)
    assert.equal(await outbox.worker(server.delivery()).deliverDue(), 0)

    await round
    const { status, last_error } = await outbox.row(id)
    assert.deepEqual({ status, last_error }, { status: 'pending', last_error: 'Not done within 0.5 seconds' })
  })

  it('can be claimed again when the worker that claimed it has died', async () => {
    const id = await outbox.enqueue('password_changed', 'ann@example.com', {})
    await outbox.db.query(`update emails set attempts = 1, claimed_until = now() + interval '1 second' where id = $1`, [
      id,
    ])
    const worker = outbox.worker(server.delivery())
    assert.equal(await worker.deliverDue(), 0)

    await outbox.db.query(`update emails set claimed_until = now() - interval '1 millisecond' where id = $1`, [id])
    assert.equal(await worker.deliverDue(), 1)

    assert.equal((await outbox.row(id)).status, 'sent')
    assert.equal((await outbox.row(id)).attempts, 2)
  })

  it('is left to the worker that claimed it next when a lease ended before its delivery', async () => {
    const id = await outbox.enqueue('password_changed', 'ann@example.com', {})
    const slow = outbox.worker({ deliver: () => takeOver(id), close: async () => {} })

    await slow.deliverDue()

    const { status, claimed_for } = await outbox.row(id)
    assert.equal(status, 'pending')
    assert.ok(claimed_for && claimed_for > 40)
    assert.match(outbox.logged.join(), /lease expired/)
    assert.deepEqual(slow.tally(), { sent: 0, postponed: 0, failed: 0 })
  })
})

const takeOver = async (id: string) => {
  await outbox.db.query(`update emails set claimed_until = now() + interval '50 seconds' where id = $1`, [id])
}
