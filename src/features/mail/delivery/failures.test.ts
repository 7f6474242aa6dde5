import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { type MailServer, openTestOutbox, startMailServer, type TestOutbox } from '../../../../test/support/mail.ts'
import { until } from '../../../../test/support/until.ts'

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
const letPass = (id: string) => outbox.db.query(`update emails set next_attempt_at = now() where id = $1`, [id])

describe('an email that can not be delivered', () => {
  it('fails at once when its recipient is refused permanently, and blocks no other', async () => {
    const refused = await outbox.enqueue('password_changed', 'unknown@example.com', {})
    const others = ['ann@example.com', 'bob@example.com']
    for (const address of others) await outbox.enqueue('password_changed', address, {})
    server.refuse = (recipient) => (recipient.startsWith('unknown') ? `550 <${recipient}>: no such user` : undefined)
    const worker = outbox.worker(server.delivery())

    await worker.deliverDue()

    assert.deepEqual(recipients().sort(), others)
    const { status, last_error } = await outbox.row(refused)
    assert.equal(status, 'failed')
    assert.match(last_error ?? '', /550 <…@…>: no such user/)
    assert.deepEqual(worker.tally(), { sent: 2, postponed: 0, failed: 1 })
    assert.match(
      outbox.logged.join(),
      new RegExp(`"emailId":"${refused}","kind":"password_changed","attempts":1,"error"`),
    )
    assert.doesNotMatch(outbox.logged.join(), /unknown|ann@|bob@/)
  })

  it('is tried again with growing pauses after a temporary refusal until it is delivered', async () => {
    const id = await outbox.enqueue('password_changed', 'ann@example.com', {})
    server.refuse = () => '451 Come back later'
    const worker = outbox.worker(server.delivery())

    for (const seconds of [2, 10, 30, 60, 120]) {
      assert.equal(await worker.deliverDue(), 1)
      const { status, next_in, last_error } = await outbox.row(id)
      assert.equal(status, 'pending')
      assert.ok(next_in > seconds - 2 && next_in <= seconds, `${next_in} s instead of ${seconds}`)
      assert.match(last_error ?? '', /451 Come back later/)
      assert.equal(await worker.deliverDue(), 0)
      await letPass(id)
    }
    server.refuse = () => undefined
    await worker.deliverDue()

    assert.deepEqual(recipients(), ['ann@example.com'])
    assert.equal((await outbox.row(id)).status, 'sent')
  })

  it('is tried again by the loop after its pause', async () => {
    const id = await outbox.enqueue('password_changed', 'ann@example.com', {})
    server.refuse = () => '451 Come back later'
    outbox.worker(server.delivery(), { idle: false })
    await until(async () => (await outbox.row(id)).last_error !== null)

    server.refuse = () => undefined

    await until(() => server.received.length === 1)
    await until(async () => (await outbox.row(id)).status === 'sent')
    assert.equal((await outbox.row(id)).attempts, 2)
  })

  it('delays no other while its server does not reply', async () => {
    await outbox.enqueue('password_changed', 'silent@example.com', {})
    server.refuse = (recipient) => (recipient.startsWith('silent') ? 'silence' : undefined)
    const worker = outbox.worker(server.delivery(), { idle: false, deliveryMs: 3000 })
    await until(async () => (await outbox.db.query('select from emails where claimed_until is not null')).length === 1)

    for (let email = 0; email < 12; email++) await outbox.enqueue('password_changed', `ann${email}@example.com`, {})

    await until(() => server.received.length === 12)
    assert.equal(worker.tally().postponed, 0)
  })

  it('is not tried after it expired, and keeps the last error', async () => {
    const expiresAt = new Date(Date.now() + 5000)
    const id = await outbox.enqueue('password_changed', 'ann@example.com', {}, { expiresAt })
    server.refuse = () => '451 Come back later'
    const worker = outbox.worker(server.delivery())
    await worker.deliverDue()
    await letPass(id)
    await worker.deliverDue()
    assert.ok((await outbox.row(id)).next_in <= 5, 'never later than its end')

    server.refuse = () => undefined
    await outbox.db.query(`update emails set expires_at = now(), next_attempt_at = now() where id = $1`, [id])
    await worker.deliverDue()

    assert.deepEqual(recipients(), [])
    const { status, last_error } = await outbox.row(id)
    assert.equal(status, 'failed')
    assert.match(last_error ?? '', /^Expired, after: .*451/)
  })

  it('is not sent when its link was used or replaced', async () => {
    const secretId = await outbox.link('reset_password', 'ann@example.com')
    const id = await outbox.enqueue('reset_password', 'ann@example.com', {}, { secretId })
    await outbox.db.query('delete from one_time_links where id = $1', [secretId])

    await outbox.worker(server.delivery()).deliverDue()

    assert.deepEqual(recipients(), [])
    assert.equal((await outbox.row(id)).status, 'failed')
  })

  it('is not sent when its address contains two addresses', async () => {
    const id = await outbox.enqueue('password_changed', 'ann@example.com, eve@example.com', {})

    await outbox.worker(server.delivery()).deliverDue()

    assert.deepEqual(recipients(), [])
    assert.equal((await outbox.row(id)).status, 'failed')
  })

  it('fails at once when it can’t be rendered, with the reason in the outbox and the log', async () => {
    const id = await outbox.enqueue('added_to_company', 'ann@example.com', {} as never)

    await outbox.worker(server.delivery()).deliverDue()

    const { status, last_error } = await outbox.row(id)
    assert.equal(status, 'failed')
    assert.match(last_error ?? '', /^It can't be rendered: ./)
    assert.match(outbox.logged.join(), /"email failed"/)
    assert.deepEqual(recipients(), [])
  })

  it('waits for a version that knows its kind', async () => {
    const id = await outbox.enqueue('password_changed', 'ann@example.com', {})
    await outbox.db.query(`update emails set kind = 'of_next_version' where id = $1`, [id])

    await outbox.worker(server.delivery()).deliverDue()

    assert.equal((await outbox.row(id)).status, 'pending')
  })
})
