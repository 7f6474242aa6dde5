import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { type MailServer, openPostOffice, type PostOffice, startMailServer } from '../../../../test/support/mail.ts'
import { until } from '../../../../test/support/until.ts'
import { Database } from '../../../database/open.ts'
import { linkIdFrom } from '../../../lib/secrets.ts'
import { takeDue } from './outbox.ts'

let office: PostOffice
let server: MailServer

before(async () => {
  server = await startMailServer()
})
beforeEach(async () => {
  office = await openPostOffice()
  server.received.length = 0
  server.refuse = () => undefined
})
afterEach(() => office.close())
after(() => server.close())

const recipients = () => server.received.flatMap((letter) => letter.recipients)

describe('a letter in the outbox', () => {
  it('is delivered once, with both parts and a link whose secret was in no row', async () => {
    const secretId = await office.link('reset_password', 'ann@example.com')
    const id = await office.post('reset_password', 'ann@example.com', {}, { secretId })
    const worker = office.worker(server.delivery())

    assert.equal(await worker.deliverDue(), 1)
    assert.equal(await worker.deliverDue(), 0)

    assert.deepEqual(recipients(), ['ann@example.com'])
    const { text = '', html } = server.received[0]?.mail ?? {}
    const token = /^https:\/\/app\.example\.com\/reset-password\?token=([\w-]+)$/m.exec(text)?.[1] ?? ''
    assert.equal(linkIdFrom(office.keys, token), secretId)
    assert.ok(String(html).includes(`href="https://app.example.com/reset-password?token=${token}"`))
    const { status, attempts, last_error } = await office.row(id)
    assert.deepEqual({ status, attempts, last_error }, { status: 'sent', attempts: 1, last_error: null })
    const rows = JSON.stringify(await office.db.query('select * from emails'))
    assert.ok(!rows.includes(token))
    assert.ok(!office.logged.join().includes(token))
  })

  it('is delivered by the loop without being asked for', async () => {
    const worker = office.worker(server.delivery(), { idle: false })
    await office.post('password_changed', 'ann@example.com', {})

    await until(() => server.received.length === 1)
    await until(() => worker.tally().sent === 1)
    assert.ok(worker.healthy())
    await worker.stop()
    assert.ok(!worker.healthy())
  })

  it('goes once each when two workers take fifty at once', async () => {
    const addresses = Array.from({ length: 50 }, (_, number) => `ann${number}@example.com`)
    for (const address of addresses) await office.post('password_changed', address, {})
    const workers = [office.worker(server.delivery()), office.worker(server.delivery())]

    const taken = await Promise.all(
      workers.map(async (worker) => {
        let letters = 0
        for (let some = -1; some !== 0; letters += some) some = await worker.deliverDue()
        return letters
      }),
    )

    assert.equal(
      taken.reduce((sum, letters) => sum + letters),
      50,
    )
    assert.ok(
      taken.every((letters) => letters > 0),
      'both worked',
    )
    assert.deepEqual(recipients().sort(), addresses.sort())
  })

  it('is taken once when many workers reach for it at the same moment', async () => {
    await office.db.query(`insert into emails (id, kind, recipient_email, recipient_name, expires_at)
      select gen_random_uuid(), 'password_changed', 'ann@example.com', 'Ann', now() + interval '1 hour' from generate_series(1, 400)`)
    const databases = Array.from({ length: 8 }, () => new Database(office.db.target))

    const taken: string[] = []
    for (let before = -1; before < taken.length; ) {
      before = taken.length
      const rounds = await Promise.all(databases.map((database) => takeDue(database, 10)))
      taken.push(...rounds.flat().map(({ id }) => id))
    }
    await Promise.all(databases.map((database) => database.close()))

    assert.equal(taken.length, 400)
    assert.equal(new Set(taken).size, 400)
  })

  it('is in the hands of one worker only, from the taking on and for less than a minute', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    server.refuse = () => 'silence'
    const first = office.worker(server.delivery(), { deliveryMs: 500 })
    const round = first.deliverDue()
    await until(async () => (await office.row(id)).claimed_for !== null)

    const { claimed_for } = await office.row(id)
    assert.ok(claimed_for && claimed_for > 30 && claimed_for < 60, `${claimed_for} s`)
    assert.equal(await office.worker(server.delivery()).deliverDue(), 0)

    await round
    const { status, last_error } = await office.row(id)
    assert.deepEqual({ status, last_error }, { status: 'pending', last_error: 'Not done within 0.5 seconds' })
  })

  it('is free again when the worker that took it has died', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    await office.db.query(`update emails set attempts = 1, claimed_until = now() + interval '1 second' where id = $1`, [
      id,
    ])
    const worker = office.worker(server.delivery())
    assert.equal(await worker.deliverDue(), 0)

    await office.db.query(`update emails set claimed_until = now() - interval '1 millisecond' where id = $1`, [id])
    assert.equal(await worker.deliverDue(), 1)

    assert.equal((await office.row(id)).status, 'sent')
    assert.equal((await office.row(id)).attempts, 2)
  })

  it('is left to the worker that took it over, when a lease ended before its delivery did', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    const slow = office.worker({ deliver: () => takeOver(id), close: async () => {} })

    await slow.deliverDue()

    const { status, claimed_for } = await office.row(id)
    assert.equal(status, 'pending')
    assert.ok(claimed_for && claimed_for > 40)
    assert.match(office.logged.join(), /no longer ours/)
    assert.deepEqual(slow.tally(), { sent: 0, postponed: 0, failed: 0 })
  })
})

const takeOver = async (id: string) => {
  await office.db.query(`update emails set claimed_until = now() + interval '50 seconds' where id = $1`, [id])
}
