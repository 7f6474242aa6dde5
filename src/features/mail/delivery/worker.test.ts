import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { type MailServer, openPostOffice, type PostOffice, startMailServer } from '../../../../test/support/mail.ts'
import { until } from '../../../../test/support/until.ts'
import type { Message } from '../templates/messages.ts'

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

describe('the worker', () => {
  it('outlives a database that refuses and breaks off, and delivers when it is back', async () => {
    const worker = office.worker(server.delivery(), { idle: false })
    await office.db.query('revoke all on emails from tenantry_worker')
    await office.post('password_changed', 'ann@example.com', {})
    await office.db.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await until(() => office.logged.some((line) => line.includes('email worker failed')))

    await office.db.query('grant select, update, delete on emails to tenantry_worker')

    await until(() => server.received.length === 1)
    await until(() => worker.tally().sent === 1)
    assert.equal(office.logged.filter((line) => line.includes('email worker failed')).length, 1)
    assert.match(office.logged.join(), /email worker recovered/)
  })

  it('writes down a delivery although the database was away in between', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    const delivered: Message[] = []
    const worker = office.worker({
      async deliver(message) {
        delivered.push(message)
        await office.db.query('revoke update on emails from tenantry_worker')
      },
      close: async () => {},
    })
    const round = worker.deliverDue()
    await until(() => delivered.length === 1)
    await office.db.query('grant update on emails to tenantry_worker')
    await round

    assert.equal((await office.row(id)).status, 'sent')
  })

  it('gives what is in hand back when it is stopped', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    server.refuse = () => 'silence'
    const worker = office.worker(server.delivery(), { idle: false })
    await until(async () => (await office.row(id)).claimed_for !== null)

    await worker.stop()

    const { status, claimed_for, last_error } = await office.row(id)
    assert.deepEqual(
      { status, claimed_for, last_error },
      { status: 'pending', claimed_for: null, last_error: 'The service stopped' },
    )
  })
})
