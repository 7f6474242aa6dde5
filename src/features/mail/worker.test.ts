import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { Database } from '../../database/open.ts'
import { linkIdFrom } from '../../lib/secrets.ts'
import type { Message } from './messages.ts'
import { takeDue } from './outbox.ts'
import { discreet, pauseAfter } from './outcomes.ts'
import { type MailServer, openPostOffice, type PostOffice, startMailServer, until } from './testing.ts'

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
const letPass = (id: string) => office.db.query(`update letters set next_attempt_at = now() where id = $1`, [id])

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
    const { state, attempts, last_error } = await office.row(id)
    assert.deepEqual({ state, attempts, last_error }, { state: 'sent', attempts: 1, last_error: null })
    const rows = JSON.stringify(await office.db.query('select * from letters'))
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
    await office.db.query(`insert into letters (id, kind, recipient_email, recipient_name, expires_at)
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
    await until(async () => (await office.row(id)).leased_for !== null)

    const { leased_for } = await office.row(id)
    assert.ok(leased_for && leased_for > 30 && leased_for < 60, `${leased_for} s`)
    assert.equal(await office.worker(server.delivery()).deliverDue(), 0)

    await round
    const { state, last_error } = await office.row(id)
    assert.deepEqual({ state, last_error }, { state: 'waiting', last_error: 'Not done within 0.5 seconds' })
  })

  it('is free again when the worker that took it has died', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    await office.db.query(`update letters set attempts = 1, leased_until = now() + interval '1 second' where id = $1`, [
      id,
    ])
    const worker = office.worker(server.delivery())
    assert.equal(await worker.deliverDue(), 0)

    await office.db.query(`update letters set leased_until = now() - interval '1 millisecond' where id = $1`, [id])
    assert.equal(await worker.deliverDue(), 1)

    assert.equal((await office.row(id)).state, 'sent')
    assert.equal((await office.row(id)).attempts, 2)
  })

  it('is left to the worker that took it over, when a lease ended before its delivery did', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    const slow = office.worker({ deliver: () => takeOver(id), close: async () => {} })

    await slow.deliverDue()

    const { state, leased_for } = await office.row(id)
    assert.equal(state, 'waiting')
    assert.ok(leased_for && leased_for > 40)
    assert.match(office.logged.join(), /no longer ours/)
    assert.deepEqual(slow.tally(), { sent: 0, postponed: 0, failed: 0 })
  })
})

const takeOver = async (id: string) => {
  await office.db.query(`update letters set leased_until = now() + interval '50 seconds' where id = $1`, [id])
}

describe('a letter that can not be delivered', () => {
  it('is given up at once when its recipient is refused for good, and blocks no other', async () => {
    const refused = await office.post('password_changed', 'nobody@example.com', {})
    const others = ['ann@example.com', 'bob@example.com']
    for (const address of others) await office.post('password_changed', address, {})
    server.refuse = (recipient) => (recipient.startsWith('nobody') ? `550 <${recipient}>: no such user` : undefined)
    const worker = office.worker(server.delivery())

    await worker.deliverDue()

    assert.deepEqual(recipients().sort(), others)
    const { state, last_error } = await office.row(refused)
    assert.equal(state, 'failed')
    assert.match(last_error ?? '', /550 <<address>>: no such user/)
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
      const { state, next_in, last_error } = await office.row(id)
      assert.equal(state, 'waiting')
      assert.ok(next_in > seconds - 2 && next_in <= seconds, `${next_in} s instead of ${seconds}`)
      assert.match(last_error ?? '', /451 Come back later/)
      assert.equal(await worker.deliverDue(), 0)
      await letPass(id)
    }
    server.refuse = () => undefined
    await worker.deliverDue()

    assert.deepEqual(recipients(), ['ann@example.com'])
    assert.equal((await office.row(id)).state, 'sent')
  })

  it('comes back by itself when its pause is over', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    server.refuse = () => '451 Come back later'
    office.worker(server.delivery(), { idle: false })
    await until(async () => (await office.row(id)).last_error !== null)

    server.refuse = () => undefined

    await until(() => server.received.length === 1)
    await until(async () => (await office.row(id)).state === 'sent')
    assert.equal((await office.row(id)).attempts, 2)
  })

  it('holds up no other while its server says nothing', async () => {
    await office.post('password_changed', 'silent@example.com', {})
    server.refuse = (recipient) => (recipient.startsWith('silent') ? 'silence' : undefined)
    const worker = office.worker(server.delivery(), { idle: false, deliveryMs: 3000 })
    await until(async () => (await office.db.query('select from letters where leased_until is not null')).length === 1)

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
    await office.db.query(`update letters set expires_at = now(), next_attempt_at = now() where id = $1`, [id])
    await worker.deliverDue()

    assert.deepEqual(recipients(), [])
    const { state, last_error } = await office.row(id)
    assert.equal(state, 'failed')
    assert.match(last_error ?? '', /^Its time was over, after: .*451/)
  })

  it('is not sent when its link was used or replaced', async () => {
    const secretId = await office.link('reset_password', 'ann@example.com')
    const id = await office.post('reset_password', 'ann@example.com', {}, { secretId })
    await office.db.query('delete from one_time_links where id = $1', [secretId])

    await office.worker(server.delivery()).deliverDue()

    assert.deepEqual(recipients(), [])
    assert.equal((await office.row(id)).state, 'failed')
  })

  it('is not sent to two when its address holds two', async () => {
    const id = await office.post('password_changed', 'ann@example.com, eve@example.com', {})

    await office.worker(server.delivery()).deliverDue()

    assert.deepEqual(recipients(), [])
    assert.equal((await office.row(id)).state, 'failed')
  })

  it('waits for a version that knows its kind', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    await office.db.query(`update letters set kind = 'of_tomorrow' where id = $1`, [id])

    await office.worker(server.delivery()).deliverDue()

    assert.equal((await office.row(id)).state, 'waiting')
  })
})

describe('the worker', () => {
  it('outlives a database that refuses and breaks off, and delivers when it is back', async () => {
    const worker = office.worker(server.delivery(), { idle: false })
    await office.db.query('revoke all on letters from tenantry_worker')
    await office.db.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await office.post('password_changed', 'ann@example.com', {})
    await until(() => office.logged.some((line) => line.includes('the outbox can not be read')))

    await office.db.query('grant select, update, delete on letters to tenantry_worker')

    await until(() => server.received.length === 1)
    await until(() => worker.tally().sent === 1)
    assert.equal(office.logged.filter((line) => line.includes('can not be read')).length, 1)
    assert.match(office.logged.join(), /can be read again/)
  })

  it('writes down a delivery although the database was away in between', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    const delivered: Message[] = []
    const worker = office.worker({
      async deliver(message) {
        delivered.push(message)
        await office.db.query('revoke update on letters from tenantry_worker')
      },
      close: async () => {},
    })
    const round = worker.deliverDue()
    await until(() => delivered.length === 1)
    await office.db.query('grant update on letters to tenantry_worker')
    await round

    assert.equal((await office.row(id)).state, 'sent')
  })

  it('gives what is in hand back when it is stopped', async () => {
    const id = await office.post('password_changed', 'ann@example.com', {})
    server.refuse = () => 'silence'
    const worker = office.worker(server.delivery(), { idle: false })
    await until(async () => (await office.row(id)).leased_for !== null)

    await worker.stop()

    const { state, leased_for, last_error } = await office.row(id)
    assert.deepEqual(
      { state, leased_for, last_error },
      { state: 'waiting', leased_for: null, last_error: 'The service stopped' },
    )
  })

  it('pauses 2, 10 and 30 seconds, then twice as long each time, at most a day', () => {
    assert.deepEqual([1, 2, 3, 4, 5, 6].map(pauseAfter), [2, 10, 30, 60, 120, 240])
    assert.equal(pauseAfter(5000), 86_400)
  })

  it("repeats nothing that opens an account, and nobody's address", () => {
    const token = 'A'.repeat(54)
    const said = discreet(
      `554 <ann@example.com> spam: https://x.example/reset-password?token=${token} \r\n "${token}" ${'z '.repeat(600)}`,
    )

    assert.doesNotMatch(said, /ann|example\.com|A{10}|\n/)
    assert.match(said, /^554 <<address>> spam: https:\/\/x\.example\/reset-password\?…/)
    assert.equal(said.length, 500)
  })
})
