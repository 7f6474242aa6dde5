import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { type MailServer, openPostOffice, type PostOffice, startMailServer } from '../../../../test/support/mail.ts'
import { until } from '../../../../test/support/until.ts'

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
const letPass = (id: string) => office.db.query(`update emails set next_attempt_at = now() where id = $1`, [id])

describe('a letter that can not be delivered', () => {
  it('is given up at once when its recipient is refused for good, and blocks no other', async () => {
    const refused = await office.post('password_changed', 'nobody@example.com', {})
    const others = ['ann@example.com', 'bob@example.com']
    for (const address of others) await office.post('password_changed', address, {})
    server.refuse = (recipient) => (recipient.startsWith('nobody') ? `550 <${recipient}>: no such user` : undefined)
    const worker = office.worker(server.delivery())

    await worker.deliverDue()

    assert.deepEqual(recipients().sort(), others)
    const { status, last_error } = await office.row(refused)
    assert.equal(status, 'failed')
    assert.match(last_error ?? '', /550 <…@…>: no such user/)
    assert.deepEqual(worker.tally(), { sent: 2, postponed: 0, failed: 1 })
    assert.match(
      office.logged.join(),
      new RegExp(`"letter":"${refused}","kind":"password_changed","attempts":1,"error"`),
    )
    assert.doesNotMatch(office.logged.join(), /nobody|ann@|bob@/)
  })

  it('is tried again with growing pauses after a temporary refusal, and arrives', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    server.refuse = () => '451 Come back later'
    const worker = office.worker(server.delivery())

    for (const seconds of [2, 10, 30, 60, 120]) {
      assert.equal(await worker.deliverDue(), 1)
      const { status, next_in, last_error } = await office.row(id)
      assert.equal(status, 'pending')
      assert.ok(next_in > seconds - 2 && next_in <= seconds, `${next_in} s instead of ${seconds}`)
      assert.match(last_error ?? '', /451 Come back later/)
      assert.equal(await worker.deliverDue(), 0)
      await letPass(id)
    }
    server.refuse = () => undefined
    await worker.deliverDue()

    assert.deepEqual(recipients(), ['ann@example.com'])
    assert.equal((await office.row(id)).status, 'sent')
  })

  it('comes back by itself when its pause is over', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    server.refuse = () => '451 Come back later'
    office.worker(server.delivery(), { idle: false })
    await until(async () => (await office.row(id)).last_error !== null)

    server.refuse = () => undefined

    await until(() => server.received.length === 1)
    await until(async () => (await office.row(id)).status === 'sent')
    assert.equal((await office.row(id)).attempts, 2)
  })

  it('holds up no other while its server says nothing', async () => {
    await office.post('password_changed', 'silent@example.com', {})
    server.refuse = (recipient) => (recipient.startsWith('silent') ? 'silence' : undefined)
    const worker = office.worker(server.delivery(), { idle: false, deliveryMs: 3000 })
    await until(async () => (await office.db.query('select from emails where claimed_until is not null')).length === 1)

    for (let letter = 0; letter < 12; letter++) await office.post('password_changed', `ann${letter}@example.com`, {})

    await until(() => server.received.length === 12)
    assert.equal(worker.tally().postponed, 0)
  })

  it('is not tried after its time, and says what was the matter', async () => {
    const expiresAt = new Date(Date.now() + 5000)
    const id = await office.post('password_changed', 'ann@example.com', {}, { expiresAt })
    server.refuse = () => '451 Come back later'
    const worker = office.worker(server.delivery())
    await worker.deliverDue()
    await letPass(id)
    await worker.deliverDue()
    assert.ok((await office.row(id)).next_in <= 5, 'never later than its end')

    server.refuse = () => undefined
    await office.db.query(`update emails set expires_at = now(), next_attempt_at = now() where id = $1`, [id])
    await worker.deliverDue()

    assert.deepEqual(recipients(), [])
    const { status, last_error } = await office.row(id)
    assert.equal(status, 'failed')
    assert.match(last_error ?? '', /^Its time was over, after: .*451/)
  })

  it('is not sent when its link was used or replaced', async () => {
    const secretId = await office.link('reset_password', 'ann@example.com')
    const id = await office.post('reset_password', 'ann@example.com', {}, { secretId })
    await office.db.query('delete from one_time_links where id = $1', [secretId])

    await office.worker(server.delivery()).deliverDue()

    assert.deepEqual(recipients(), [])
    assert.equal((await office.row(id)).status, 'failed')
  })

  it('is not sent to two when its address holds two', async () => {
    const id = await office.post('password_changed', 'ann@example.com, eve@example.com', {})

    await office.worker(server.delivery()).deliverDue()

    assert.deepEqual(recipients(), [])
    assert.equal((await office.row(id)).status, 'failed')
  })

  it('waits for a version that knows its kind', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    await office.db.query(`update emails set kind = 'of_tomorrow' where id = $1`, [id])

    await office.worker(server.delivery()).deliverDue()

    assert.equal((await office.row(id)).status, 'pending')
  })
})
