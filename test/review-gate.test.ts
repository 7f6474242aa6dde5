import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { sql } from 'kysely'
import { companyGate } from '../src/access/sessions.ts'
import { asAccount, inCompany } from '../src/database/scopes.ts'
import { problem } from '../src/problems.ts'
import { useTestApp } from './support/app.ts'
import { anyEmail, signUp } from './support/people.ts'

const service = await useTestApp()
const ann = await signUp(service.client)
const eve = await signUp(service.client)

const gatedFor = (isLetThrough: boolean) =>
  service.database.gatedReads({
    scope: asAccount(eve.id),
    statement: companyGate({ accountId: eve.id, sessionId: eve.sessionId }, ann.company.id, 'users:read'),
    decide: async () => {
      if (!isLetThrough) throw problem('not_a_member')
      return { scope: inCompany(ann.company.id, eve.id), isEntered: true }
    },
  })

it('a closed gate keeps a plain select from writing an email, although the decision refuses it', async () => {
  const email = anyEmail()
  await assert.rejects(
    sql`select enqueue_email(${randomUUID()}, 'temporary_password', ${email}, 'x', 'en', '{}', null,
      now() + interval '1 hour', null, null, null, null, null)`.execute(gatedFor(false).tx),
    { code: 'not_a_member' },
  )
  assert.deepEqual(await service.db.query('select 1 from emails where recipient_email = $1', [email]), [])
})

it('no function of company routes gives a row behind a closed gate', async () => {
  for (const call of [`find_account(null, '${ann.email}')`, `find_account('${ann.id}', null)`]) {
    const { rows } = await sql.raw(`select * from ${call}`).execute(gatedFor(true).tx)
    assert.deepEqual(rows, [], call)
  }
})

it('a read that is begun before the actor is awaited ends nothing when access is refused', async () => {
  const { tx, decided } = gatedFor(false)
  const reading = sql`select 1 as one`.execute(tx)
  await assert.rejects(decided(), { code: 'not_a_member' })
  await new Promise((resolve) => setImmediate(resolve))
  await assert.rejects(reading, { code: 'not_a_member' })
})
