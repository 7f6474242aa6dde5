import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { type MailServer, openTestOutbox, startMailServer, type TestOutbox } from '../../../../test/support/mail.ts'
import { until } from '../../../../test/support/until.ts'
import type { Message } from '../templates/render-message.ts'

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

describe('the worker', () => {
  it('survives a database that refuses and disconnects, and delivers when it is available again', async () => {
    const worker = outbox.worker(server.delivery(), { idle: false })
    await outbox.db.query('revoke all on emails from tenantry_worker')
    await outbox.enqueue('password_changed', 'ann@example.com', {})
    await outbox.db.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await until(() => outbox.logged.some((line) => line.includes('email worker failed')))

    await outbox.db.query('grant select, update, delete on emails to tenantry_worker')

    await until(() => server.received.length === 1)
    await until(() => worker.tally().sent === 1)
    assert.equal(outbox.logged.filter((line) => line.includes('email worker failed')).length, 1)
    assert.match(outbox.logged.join(), /email worker recovered/)
  })

  it('completes an attempt although the database was unavailable in between', async () => {
    const id = await outbox.enqueue('password_changed', 'ann@example.com', {})
    const delivered: Message[] = []
    const worker = outbox.worker({
      async deliver(message) {
        delivered.push(message)
        await outbox.db.query('revoke update on emails from tenantry_worker')
      },
      close: async () => {},
    })
    const round = worker.deliverDue()
    await until(() => delivered.length === 1)
    await outbox.db.query('grant update on emails to tenantry_worker')
    await round

    assert.equal((await outbox.row(id)).status, 'sent')
  })

  it('delivers to others while the server of one domain hangs for ten recipients', async () => {
    server.refuse = (recipient) => (recipient.endsWith('@slow.example') ? 'silence' : undefined)
    for (let index = 0; index < 10; index++) await outbox.enqueue('password_changed', `eve${index}@slow.example`, {})
    const worker = outbox.worker(server.delivery(), { idle: false })
    const claimed = async () => (await outbox.db.query('select from emails where claimed_until is not null')).length
    await until(async () => (await claimed()) === 3)

    const others = Array.from({ length: 12 }, (_, index) => `ann${index}@${index % 2 ? 'one' : 'two'}.example`)
    for (const address of others) await outbox.enqueue('password_changed', address, {})

    await until(() => worker.tally().sent === others.length)
    assert.equal(await claimed(), 3)
    assert.deepEqual(server.received.flatMap(({ recipients }) => recipients).sort(), others.sort())
  })

  it('releases the emails in progress when it is stopped', async () => {
    const id = await outbox.enqueue('password_changed', 'ann@example.com', {})
    server.refuse = () => 'silence'
    const worker = outbox.worker(server.delivery(), { idle: false })
    await until(async () => (await outbox.row(id)).claimed_for !== null)

    await worker.stop()

    const { status, claimed_for, last_error } = await outbox.row(id)
    assert.deepEqual(
      { status, claimed_for, last_error },
      { status: 'pending', claimed_for: null, last_error: 'The service stopped' },
    )
  })
})
