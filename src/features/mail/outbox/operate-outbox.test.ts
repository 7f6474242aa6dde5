import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { openTestOutbox, type TestOutbox } from '../../../../test/support/mail.ts'
import { retryEmails } from './operate-outbox.ts'

let outbox: TestOutbox
before(async () => {
  outbox = await openTestOutbox()
})
after(() => outbox.close())

/** In turns: one that has failed, one that was sent, one that has failed and whose link no longer works. */
const EACH = 10
beforeEach(async () => {
  await outbox.db.query('delete from emails')
  await outbox.db.query(
    `insert into emails (id, kind, recipient_email, recipient_name, secret_id, status, attempts, expires_at, finished_at)
     select gen_random_uuid(), 'password_changed', n || '@example.com', 'Ann', case n % 3 when 2 then gen_random_uuid() end,
       case n % 3 when 1 then 'sent' else 'failed' end, 9, now(), now()
     from generate_series(0, $1::int - 1) n`,
    [3 * EACH],
  )
})

const countsOf = (status: string) =>
  outbox.db
    .query<{ count: number }>('select count(*)::int as count from emails where status = $1', [status])
    .then(([row]) => row?.count)

describe('retrying all emails that have failed', () => {
  it('looks at some of all emails with each statement, and tells of each that has failed once', async () => {
    const emails = await retryEmails(outbox.database, undefined, 4)
    const ids = emails.map(({ id }) => id)
    assert.deepEqual(ids, [...new Set(ids)].sort())
    assert.deepEqual([ids.length, emails.filter(({ isRetried }) => isRetried).length], [2 * EACH, EACH])
    assert.deepEqual([await countsOf('pending'), await countsOf('sent'), await countsOf('failed')], [EACH, EACH, EACH])
  })

  it('keeps what it has done when it is stopped, and does the rest when it is repeated', async () => {
    const [last] = await outbox.db.query<{ id: string }>(
      `select id from emails where status = 'failed' and secret_id is null order by id desc limit 1`,
    )
    await outbox.db.query(`
      create function stop() returns trigger language plpgsql as $$ begin raise exception 'stopped'; end $$;
      create trigger stop before update on emails for each row when (old.id = '${last?.id}') execute function stop()`)
    await assert
      .rejects(retryEmails(outbox.database, undefined, 4), /stopped/)
      .finally(() => outbox.db.query('drop function stop cascade'))
    const done = (await countsOf('pending')) ?? 0
    assert.ok(done > 0 && done < EACH, `${done} emails`)
    const emails = await retryEmails(outbox.database, undefined, 4)
    assert.equal(emails.filter(({ isRetried }) => isRetried).length, EACH - done)
    assert.equal(await countsOf('pending'), EACH)
  })
})
