import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { anyEmail, assertProblem, registration, signIn, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()

it('returns the own account in the shape of signing in, without tokens', async () => {
  const ann = await signUp(service.client)
  const { status, body } = await ann.api.get('/auth/me')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body.data), [
    'user',
    'tenants',
    'companyPermissions',
    'companyRoles',
    'companyAccess',
    'unopenedCompanies',
  ])
  assert.equal(body.data.user.id, ann.id)
  assert.deepEqual(body.data.tenants, [ann.company])
})

it('changes the sent fields, keeps the others, and clears empty ones', async () => {
  const ann = await signUp(service.client)
  const all = {
    name: 'Ann B',
    phone: '+34 600',
    avatar_url: 'https://example.com/a.png',
    position: 'CEO',
    document_type: 'DNI',
    document_number: '12345678Z',
    timezone: 'Europe/Madrid',
    locale: 'pt-br',
  }
  const changed = await ann.api.put('/auth/profile', all)
  assert.equal(changed.status, 200)
  assert.deepEqual({ ...changed.body.data, ...all, locale: 'pt-BR' }, changed.body.data)

  const cleared = await ann.api.put('/auth/profile', { phone: '', avatar_url: null, timezone: null })
  assert.equal(cleared.body.data.phone, '')
  assert.equal(cleared.body.data.avatar_url, null)
  assert.equal(cleared.body.data.timezone, '')
  assert.equal(cleared.body.data.position, 'CEO')

  const same = await ann.api.put('/auth/profile', {})
  assert.deepEqual(same.body.data, cleared.body.data)
})

it('records changed fields with old and new values, and nothing without a change', async () => {
  const ann = await signUp(service.client)
  await ann.api.put('/auth/profile', { phone: '1', name: ann.name })
  await ann.api.put('/auth/profile', { phone: '1' })
  await ann.api.put('/auth/profile', { document_type: 'DNI', document_number: '12345678Z' })
  const records = await service.db.query(
    `select changes from audit_records where actor_id = $1 and action = 'accounts.update' order by id`,
    [ann.id],
  )
  // Documents are recorded without their numbers.
  assert.deepEqual(records, [
    { changes: { phone: { from: '', to: '1' } } },
    { changes: { document_type: {}, document_number: {} } },
  ])
})

it('refuses malformed values', async () => {
  const ann = await signUp(service.client)
  const bad = [
    { name: '' },
    { name: null },
    { email: '' },
    { email: null },
    { email: 'x' },
    { phone: 'x'.repeat(33) },
    { phone: 5 },
    { avatar_url: 'javascript:alert(1)' },
    { avatar_url: 'data:text/html,x' },
    { avatar_url: 'example.com/a.png' },
    { avatar_url: `https://example.com/${'x'.repeat(2048)}` },
    { timezone: 'Mars/Base' },
    { timezone: '+02:00' },
    { locale: 'not a locale' },
    { position: 'a\u0000' },
  ]
  for (const change of bad) assertProblem(await ann.api.put('/auth/profile', change), 400, 'validation_failed')
  const { body } = await ann.api.get('/auth/me')
  assert.equal(body.data.user.name, ann.name)
})

it('changes the address once the new one is verified, and notifies the old one twice', async () => {
  const ann = await signUp(service.client)
  const newEmail = anyEmail()
  const { body } = await ann.api.put('/auth/profile', { email: newEmail.toUpperCase() })
  assert.equal(body.data.email, ann.email)
  assert.equal(body.data.pending_email, newEmail)
  assert.equal((await ann.api.get('/auth/me')).body.data.user.pending_email, newEmail)
  assert.equal((await service.mailbox.to(ann.email, 'email_change_requested')).length, 1)

  const token = await service.mailbox.token(newEmail, 'change_email')
  assert.equal((await service.client.post('/auth/verify-email', { token })).status, 200)
  const { user } = (await ann.api.get('/auth/me')).body.data
  assert.equal(user.email, newEmail)
  assert.equal(user.email_verified, true)
  assert.equal('pending_email' in user, false)
  assert.equal((await service.mailbox.to(ann.email, 'email_changed')).length, 1)
  assertProblem(
    await service.client.post('/auth/login', { email: ann.email, password: 'Correct-horse-7' }),
    401,
    'credentials_wrong',
  )
  await signIn(service.client, newEmail)
  assertProblem(await service.client.post('/auth/verify-email', { token }), 400, 'link_invalid')
})

it('invalidates a link by a newer link, a cancellation or another address', async () => {
  const ann = await signUp(service.client)
  const [first, second] = [anyEmail(), anyEmail()]
  await ann.api.put('/auth/profile', { email: first })
  const initial = await service.mailbox.token(first, 'change_email')
  assert.equal((await ann.api.post('/auth/profile/email/resend')).status, 200)
  const resent = await service.mailbox.token(first, 'change_email')
  assert.notEqual(resent, initial)
  assertProblem(await service.client.post('/auth/verify-email', { token: initial }), 400, 'link_invalid')

  await ann.api.put('/auth/profile', { email: second })
  assertProblem(await service.client.post('/auth/verify-email', { token: resent }), 400, 'link_invalid')

  const last = await service.mailbox.token(second, 'change_email')
  assert.equal((await ann.api.post('/auth/profile/email/cancel')).status, 200)
  assertProblem(await service.client.post('/auth/verify-email', { token: last }), 400, 'link_invalid')
  assert.equal('pending_email' in (await ann.api.get('/auth/me')).body.data.user, false)
})

it('refuses to cancel without a pending change', async () => {
  const ann = await signUp(service.client)
  assertProblem(await ann.api.post('/auth/profile/email/resend'), 404, 'pending_email_not_found')
  assertProblem(await ann.api.post('/auth/profile/email/cancel'), 404, 'pending_email_not_found')
  assert.equal('pending_email' in (await ann.api.put('/auth/profile', { email: ann.email })).body.data, false)
})

it('does not reserve a pending address: the first account that verifies or registers it gets it', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  assertProblem(await ann.api.put('/auth/profile', { email: bob.email }), 409, 'email_taken')

  const wanted = anyEmail()
  await ann.api.put('/auth/profile', { email: wanted })
  await bob.api.put('/auth/profile', { email: wanted })
  const emails = await service.mailbox.to(wanted, 'change_email')
  const tokens = emails.map(({ text }) => /token=([\w-]+)/.exec(text)?.[1])
  const answers = await Promise.all(tokens.map((token) => service.client.post('/auth/verify-email', { token })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])

  const third = anyEmail()
  await ann.api.put('/auth/profile', { email: third })
  const token = await service.mailbox.token(third, 'change_email')
  assert.equal((await service.client.post('/auth/register', registration({ email: third }))).status, 201)
  assertProblem(await service.client.post('/auth/verify-email', { token }), 409, 'email_taken')
})

it('refuses links that are forged, mistyped or expired', async () => {
  const ann = await signUp(service.client)
  const email = anyEmail()
  await ann.api.put('/auth/profile', { email })
  const token = await service.mailbox.token(email, 'change_email')
  const mistyped = [
    `${token}x`,
    token.slice(1),
    token.toUpperCase(),
    `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
    'x',
    '\0',
  ]
  for (const wrong of mistyped) {
    assertProblem(await service.client.post('/auth/verify-email', { token: wrong }), 400, 'link_invalid')
  }
  await service.db.query(`update one_time_links set expires_at = now() where account_id = $1`, [ann.id])
  assertProblem(await service.client.post('/auth/verify-email', { token }), 400, 'link_invalid')
})

it('accepts a link once, of many parallel requests', async () => {
  const ann = await signUp(service.client)
  const email = anyEmail()
  await ann.api.put('/auth/profile', { email })
  const token = await service.mailbox.token(email, 'change_email')
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => service.client.post('/auth/verify-email', { token })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(400)])
})
