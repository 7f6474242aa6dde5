import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/support/app.ts'
import { addMember, link } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, signIn, signUp } from '../../../test/support/people.ts'

let service: TestApp
before(async () => {
  service = await startTestApp()
})
after(() => service.close())

const resend = (email: string, node = service) => node.client.post('/auth/verify-email/resend', { email })
const confirm = (token: string) => service.client.post('/auth/verify-email', { token })
const emailsTo = async (email: string, node = service) => (await node.mailbox.to(email, 'confirm_email')).length

it('sends a link that verifies the address, also where signing up sent none', async () => {
  const ann = await signUp(service.client)
  assert.equal(await emailsTo(ann.email), 0)

  const { status, body } = await resend(ann.email.toUpperCase())

  assert.deepEqual([status, body.data], [200, {}])
  assert.equal((await confirm(await service.mailbox.token(ann.email, 'confirm_email'))).status, 200)
  assert.equal((await ann.api.get('/auth/me')).body.data.user.email_verified, true)
  const records = await service.db.query(
    `select changes from audit_records where action = 'accounts.resend_confirmation' and target_id = $1`,
    [ann.id],
  )
  assert.deepEqual(records, [{ changes: { email: { to: 'sent' } } }])
})

it('invalidates the link that was sent at the sign-up', async () => {
  const strict = await startTestApp({ REQUIRE_VERIFIED_EMAIL: 'true' }, service.db)
  const ann = await signUp(strict.client)
  const first = await strict.mailbox.token(ann.email, 'confirm_email')
  await resend(ann.email, strict)
  const second = await strict.mailbox.token(ann.email, 'confirm_email')

  assertProblem(await strict.client.post('/auth/verify-email', { token: first }), 400, 'link_invalid')
  assert.equal((await strict.client.post('/auth/verify-email', { token: second })).status, 200)
  await strict.close()
})

it('answers the same and sends nothing for an address that is verified, or has no account', async () => {
  const ann = await signUp(service.client)
  await resend(ann.email)
  assert.equal((await confirm(await service.mailbox.token(ann.email, 'confirm_email'))).status, 200)
  const unused = anyEmail()

  const answers = [await resend(ann.email), await resend(unused), await resend((await signUp(service.client)).email)]

  assert.equal(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size, 1)
  assert.equal(await emailsTo(ann.email), 1)
  assert.equal(await emailsTo(unused), 0)
  assertProblem(await resend('no address'), 400, 'validation_failed')
})

it('looks up the account only after the response', async () => {
  const ann = await signUp(service.client)
  await service.db.query('alter table accounts rename to accounts_away')
  try {
    assert.equal((await resend(ann.email)).status, 200)
  } finally {
    await service.db.query('alter table accounts_away rename to accounts')
  }
  assert.equal(await emailsTo(ann.email), 1)
})

it('verifies no address while a password that an administrator has seen works', async () => {
  const ann = await signUp(service.client)
  const { id, email } = await addMember(ann)
  const shown = (await ann.api.post(`/companies/users/${id}/reset-password`)).body.data.temporaryPassword
  await signIn(service.client, email, shown)

  assert.equal((await resend(email)).status, 200)

  assert.equal(await emailsTo(email), 0)
})

it('resets the password instead while a company waits for the address, which ends the sessions of other people', async () => {
  const strict = await startTestApp({ REQUIRE_VERIFIED_EMAIL: 'true' }, service.db)
  const [ann, eve] = [await signUp(strict.client), await signUp(strict.client)]
  await link(ann, eve)
  await strict.mailbox.to(eve.email, 'confirm_email')
  await service.db.query('delete from one_time_links where account_id = $1', [eve.id])

  assert.equal((await resend(eve.email, strict)).status, 200)

  const token = await strict.mailbox.token(eve.email, 'reset_password')
  assert.equal((await strict.client.post('/auth/reset-password', { token, newPassword: 'Owner-horse-8' })).status, 200)
  assertProblem(await eve.api.get('/auth/me'), 401, 'token_invalid')
  await strict.close()
})

it('sends 20 links a day to an address for networks that its account does not know, and then a first one to others alone', async () => {
  const node = await startTestApp(
    { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000', TRUST_PROXY: 'loopback' },
    service.db,
  )
  const ann = await signUp(node.client)
  const sent = () => service.db.query(`select from emails where recipient_email = $1`, [ann.email])
  for (let hour = 0; hour < 6; hour++) {
    for (let request = 0; request < 5; request++) {
      const headers = { 'x-forwarded-for': `10.8.${hour}.${request}` }
      await node.client.post('/auth/verify-email/resend', { email: ann.email }, { headers })
    }
    await node.mailbox.to(ann.email, 'confirm_email')
    await service.db.query(`update emails set created_at = created_at - interval '1 hour' where recipient_email = $1`, [
      ann.email,
    ])
  }

  await node.close()
  // Four networks used up the twenty; the other two got one each.
  assert.equal((await sent()).length, 22)
})

it('sends 5 emails an hour to one address, exactly, when 20 requests of 20 networks arrive at once', async () => {
  const node = await startTestApp(
    { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000', TRUST_PROXY: 'loopback' },
    service.db,
  )
  const ann = await signUp(node.client)
  const from = (network: number) =>
    node.client.post(
      '/auth/verify-email/resend',
      { email: ann.email },
      { headers: { 'x-forwarded-for': `10.9.0.${network}` } },
    )

  const answers = await Promise.all(Array.from({ length: 20 }, (_, network) => from(network)))

  assert.ok(answers.every(({ status }) => status === 200))
  // Of several that wait, only the last one still has a valid link.
  assert.equal(await emailsTo(ann.email, node), 1)
  const [row] = await service.db.query(`select count(*)::int as count from emails where recipient_email = $1`, [
    ann.email,
  ])
  assert.equal(row?.count, 5)
  const token = await node.mailbox.token(ann.email, 'confirm_email')
  assert.equal((await node.client.post('/auth/verify-email', { token })).status, 200)
  for (let request = 0; request < 2; request++) assert.equal((await from(3)).status, 200)
  assertProblem(await from(3), 429, 'rate_limited')
  await node.close()
})
