import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTestApp, useTestApp } from '../../../test/support/app.ts'
import { addApp } from '../../../test/support/factors.ts'
import { addPasskey } from '../../../test/support/passkeys.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { createHashing } from '../../lib/hashing.ts'

const service = await useTestApp()

const NEW = 'Another-horse-8'
const TEMPORARY = 'Temporary-horse-9'
const me = (token: string) => service.client.get('/auth/me', { token })
const login = (email: string, password: string) => service.client.post('/auth/login', { email, password })

const caller = { ip: '127.0.0.1', isDisconnected: () => false }
const hashOf = async (password: string, hashing = service.parts.hashing) =>
  hashing.run(caller, { isKnown: false }, (hasher) => hasher.hash(password))

/** Sets a temporary password, instead of the chosen one or in addition to it. */
async function giveTemporaryPassword({ id }: Person, { beside = false } = {}): Promise<void> {
  const hash = await hashOf(TEMPORARY)
  if (!beside) await service.db.query(`delete from passwords where account_id = $1`, [id])
  await service.db.query(
    `insert into passwords (account_id, kind, hash, expires_at) values ($1, 'temporary', $2, now() + interval '72 hours')`,
    [id, hash],
  )
}

it('changes the password, revokes all other sessions and notifies the account by email', async () => {
  const ann = await signUp(service.client)
  const phone = await signIn(service.client, ann.email)
  const answer = await ann.api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW })
  assert.deepEqual([answer.status, answer.body.data], [200, {}])
  assert.equal((await me(ann.accessToken)).status, 200)
  assertProblem(await me(phone.accessToken), 401, 'token_invalid')
  assertProblem(
    await service.client.post('/auth/refresh', { refreshToken: phone.refreshToken }),
    401,
    'refresh_token_invalid',
  )
  assertProblem(await login(ann.email, PASSWORD), 401, 'credentials_wrong')
  await signIn(service.client, ann.email, NEW)
  assert.equal((await service.mailbox.to(ann.email, 'password_changed')).length, 1)
  const records = await service.db.query(
    `select outcome from audit_records where actor_id = $1 and action = 'passwords.change'`,
    [ann.id],
  )
  assert.deepEqual(records, [{ outcome: 'done' }])
})

it('cancels a pending change of address with its link, and a link that confirms the sign-up', async () => {
  const ann = await signUp(service.client)
  const newEmail = anyEmail()
  assert.equal((await ann.api.put('/auth/profile', { email: newEmail })).body.data.pending_email, newEmail)
  const changeToken = await service.mailbox.token(newEmail, 'change_email')
  assert.equal((await service.client.post('/auth/verify-email/resend', { email: ann.email })).status, 200)
  const confirmToken = await service.mailbox.token(ann.email, 'confirm_email')
  const answer = await ann.api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW })
  assert.equal(answer.status, 200)
  assert.equal('pending_email' in (await ann.api.get('/auth/me')).body.data.user, false)
  for (const token of [changeToken, confirmToken])
    assertProblem(await service.client.post('/auth/verify-email', { token }), 400, 'link_invalid')
  assertProblem(await ann.api.post('/auth/profile/email/resend'), 404, 'pending_email_not_found')
  const [record] = await service.db.query(
    `select changes from audit_records where actor_id = $1 and action = 'passwords.change'`,
    [ann.id],
  )
  assert.deepEqual(record?.changes, { pending_email: { from: newEmail } })
})

it('refuses a wrong current password, an unchanged one, and one against the policy', async () => {
  const ann = await signUp(service.client)
  const change = (currentPassword: unknown, newPassword: unknown) =>
    ann.api.post('/auth/change-password', { currentPassword, newPassword })
  assertProblem(await change('Wrong-horse-7', NEW), 422, 'current_password_wrong')
  assertProblem(await change('x', NEW), 422, 'current_password_wrong')
  assertProblem(await change(PASSWORD, PASSWORD), 422, 'password_unchanged')
  for (const bad of ['short1A', 'nouppercase1', 'NOLOWERCASE1', 'NoDigitsHere', undefined, '', 5]) {
    assertProblem(await change(PASSWORD, bad), 400, 'validation_failed')
  }
  assertProblem(await change(undefined, NEW), 400, 'validation_failed')
  await signIn(service.client, ann.email, PASSWORD)
})

it('applies one of two parallel changes, and leaves one password', async () => {
  const ann = await signUp(service.client)
  const phone = await signIn(service.client, ann.email)
  const answers = await Promise.all(
    [ann, phone].map(({ api }, i) =>
      api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: `${NEW}${i}` }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  const winner = answers.findIndex(({ status }) => status === 200)
  await signIn(service.client, ann.email, `${NEW}${winner}`)
})

it('leaves no session of a sign-in that runs in parallel to a password change', async () => {
  const ann = await signUp(service.client)
  const attempts = Array.from({ length: 8 }, () => login(ann.email, PASSWORD))
  const change = ann.api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW })
  const answers = await Promise.all(attempts)
  assert.equal((await change).status, 200)
  for (const { status, body } of answers) {
    if (status === 200) assertProblem(await me(body.data.accessToken), 401, 'token_invalid')
  }
})

it('permits only a password change and signing out with a temporary password', async () => {
  const ann = await signUp(service.client)
  await giveTemporaryPassword(ann)
  const held = await signIn(service.client, ann.email, TEMPORARY)
  const { body } = await login(ann.email, TEMPORARY)
  assert.equal(body.data.user.must_change_password, true)
  assert.equal(body.data.tenants.length, 1)

  for (const answer of [
    await held.api.get('/auth/me'),
    await held.api.put('/auth/profile', { name: 'X' }),
    await held.api.get('/companies'),
    await held.api.get('/auth/sessions'),
  ]) {
    assertProblem(answer, 403, 'password_change_required')
  }
  const pair = await service.client.post('/auth/refresh', { refreshToken: held.refreshToken })
  assert.equal(pair.status, 200)
  assertProblem(await me(pair.body.data.accessToken), 403, 'password_change_required')

  const change = (newPassword: string) =>
    held.api.post('/auth/change-temporary-password', { currentPassword: TEMPORARY, newPassword })
  assertProblem(await change(TEMPORARY), 422, 'password_unchanged')
  assert.equal((await change(NEW)).status, 200)
  assert.equal((await held.api.get('/auth/me')).body.data.user.must_change_password, false)
  await signIn(service.client, ann.email, NEW)
  assertProblem(await login(ann.email, TEMPORARY), 401, 'credentials_wrong')
})

it('replaces a temporary password also by change-password, and signs out with one', async () => {
  const ann = await signUp(service.client)
  await giveTemporaryPassword(ann)
  const [held, other] = [
    await signIn(service.client, ann.email, TEMPORARY),
    await signIn(service.client, ann.email, TEMPORARY),
  ]
  assert.equal((await other.api.post('/auth/logout', { refreshToken: other.refreshToken })).status, 200)
  assert.equal(
    (await held.api.post('/auth/change-password', { currentPassword: TEMPORARY, newPassword: NEW })).status,
    200,
  )
  assert.equal((await held.api.get('/auth/me')).status, 200)
})

it('refuses change-temporary-password without a temporary password', async () => {
  const ann = await signUp(service.client)
  const answer = await ann.api.post('/auth/change-temporary-password', { currentPassword: PASSWORD, newPassword: NEW })
  assertProblem(answer, 422, 'no_temporary_password')
})

it('refuses a temporary password after its lifetime', async () => {
  const ann = await signUp(service.client)
  await giveTemporaryPassword(ann)
  await service.db.query(`update passwords set expires_at = now() where account_id = $1`, [ann.id])
  assertProblem(await login(ann.email, TEMPORARY), 401, 'credentials_wrong')
})

it('accepts the chosen password while a temporary one is valid', async () => {
  const ann = await signUp(service.client)
  await giveTemporaryPassword(ann, { beside: true })
  assert.equal((await ann.api.get('/auth/me')).body.data.user.must_change_password, false)
  const held = await signIn(service.client, ann.email, TEMPORARY)
  assertProblem(await held.api.get('/auth/me'), 403, 'password_change_required')
  assert.equal((await ann.api.get('/auth/me')).status, 200)
  await signIn(service.client, ann.email, PASSWORD)
  assertProblem(await login(ann.email, TEMPORARY), 401, 'credentials_wrong')
})

it('answers a password reset request identically for every address, and emails only accounts', async () => {
  const ann = await signUp(service.client)
  const unknown = anyEmail()
  const answers = [
    await service.client.post('/auth/forgot-password', { email: ann.email }),
    await service.client.post('/auth/forgot-password', { email: unknown }),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual(answers[0]?.body, answers[1]?.body)
  assert.equal((await service.mailbox.to(ann.email, 'reset_password')).length, 1)
  assert.equal((await service.mailbox.to(unknown)).length, 0)
  assertProblem(await service.client.post('/auth/forgot-password', { email: 'x' }), 400, 'validation_failed')
})

it('sets a new password by the link, revokes all sessions and cancels pending changes', async () => {
  const ann = await signUp(service.client)
  const pending = anyEmail()
  await ann.api.put('/auth/profile', { email: pending })
  await service.client.post('/auth/forgot-password', { email: ann.email })
  const token = await service.mailbox.token(ann.email, 'reset_password')
  assert.equal((await service.client.post('/auth/reset-password', { token, newPassword: NEW })).status, 200)

  assertProblem(await me(ann.accessToken), 401, 'token_invalid')
  assertProblem(
    await service.client.post('/auth/refresh', { refreshToken: ann.refreshToken }),
    401,
    'refresh_token_invalid',
  )
  const again = await signIn(service.client, ann.email, NEW)
  const { user } = (await again.api.get('/auth/me')).body.data
  assert.equal(user.email_verified, true)
  assert.equal('pending_email' in user, false)
  assert.equal((await service.mailbox.to(ann.email, 'password_changed')).length, 1)
  const emailToken = await service.mailbox.token(pending, 'change_email').catch(() => 'never sent')
  assertProblem(await service.client.post('/auth/verify-email', { token: emailToken }), 400, 'link_invalid')
})

it('opens no session by a reset link, and asks for every second factor after it', async () => {
  const ann = await signUp(service.client)
  await addApp(service, ann)
  await addPasskey(service, ann)
  const factors = () =>
    service.db.query('select id, confirmed_at from second_factors where account_id = $1 order by id', [ann.id])
  const codes = () => service.db.query('select hash, used_at from recovery_codes where account_id = $1', [ann.id])
  const before = [await factors(), await codes()]
  await service.client.post('/auth/forgot-password', { email: ann.email })
  const token = await service.mailbox.token(ann.email, 'reset_password')
  const { status, body, headers } = await service.client.post('/auth/reset-password', { token, newPassword: NEW })
  assert.deepEqual([status, body.data, headers.get('set-cookie')], [200, {}, null])
  const live = await service.db.query('select id from sessions where account_id = $1 and revoked_at is null', [ann.id])
  assert.deepEqual(live, [])
  assert.deepEqual([await factors(), await codes()], before)
  const refused = await login(ann.email, NEW)
  assertProblem(refused, 401, 'second_factor_required')
  assert.deepEqual(refused.body.challenge.methods, ['passkey', 'totp', 'recovery_code'])
})

it('refuses reset links that are used, replaced, forged, for another purpose or 15 minutes old', async () => {
  const ann = await signUp(service.client)
  const reset = (token: string, newPassword = NEW) =>
    service.client.post('/auth/reset-password', { token, newPassword })
  const ask = async () => {
    await service.client.post('/auth/forgot-password', { email: ann.email })
    return service.mailbox.token(ann.email, 'reset_password')
  }
  const first = await ask()
  const second = await ask()
  assertProblem(await reset(first), 400, 'link_invalid')
  assertProblem(await service.client.post('/auth/verify-email', { token: second }), 400, 'link_invalid')
  assertProblem(await reset(second, 'weak'), 400, 'validation_failed')
  const answers = await Promise.all(Array.from({ length: 10 }, () => reset(second)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(400)])
  const third = await ask()
  await service.db.query(
    `update one_time_links set expires_at = expires_at - interval '15 minutes' where account_id = $1`,
    [ann.id],
  )
  assertProblem(await reset(third), 400, 'link_invalid')
  assertProblem(await reset('x'.repeat(54)), 400, 'link_invalid')
})

it('accepts links that were emailed before APP_SECRET was replaced, until the previous secret is removed', async () => {
  const [older, newer] = ['the-older-secret-of-36-characters-xx', 'the-newer-secret-of-36-characters-xx']
  const before = await startTestApp({ APP_SECRET: older }, service.db)
  const ask = async (email: string) => {
    await before.client.post('/auth/forgot-password', { email })
    return before.mailbox.token(email, 'reset_password')
  }
  const [ann, bob] = [await signUp(before.client), await signUp(before.client)]
  const [annsToken, bobsToken] = [await ask(ann.email), await ask(bob.email)]
  await before.close()

  const reset = async (settings: Record<string, string>, token: string) => {
    const node = await startTestApp(settings, service.db)
    const answer = await node.client.post('/auth/reset-password', { token, newPassword: NEW })
    await node.close()
    return answer
  }
  assert.equal((await reset({ APP_SECRET: newer, APP_SECRET_PREVIOUS: older }, annsToken)).status, 200)
  assertProblem(await reset({ APP_SECRET: newer }, bobsToken), 400, 'link_invalid')
})

it('invalidates an open reset link when the password changes', async () => {
  const ann = await signUp(service.client)
  await service.client.post('/auth/forgot-password', { email: ann.email })
  const token = await service.mailbox.token(ann.email, 'reset_password')
  await ann.api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW })
  assertProblem(
    await service.client.post('/auth/reset-password', { token, newPassword: 'Third-horse-9' }),
    400,
    'link_invalid',
  )
})

it('compares passwords exactly: they are not trimmed, folded or cut', async () => {
  const long = `Aa1${'x'.repeat(124)}`
  const passwords: [string, string[]][] = [
    [
      '  Aa1  pass\twörd  ',
      ['Aa1  pass\twörd', '  aa1  pass\twörd  ', '  Aa1 pass wörd  ', '  Aa1  pass\two\u0308rd  '],
    ],
    [`${long}y`, [`${long}z`, long]],
  ]
  for (const [password, others] of passwords) {
    const ann = await signUp(service.client, { password })
    for (const other of others) assertProblem(await login(ann.email, other), 401, 'credentials_wrong')
    await service.db.query(`update passwords set created_at = now() - interval '10 years' where account_id = $1`, [
      ann.id,
    ])
    assert.equal((await signIn(service.client, ann.email, password)).id, ann.id)
  }
})

it('stores passwords only as Argon2id hashes with 19 MiB, two passes and a unique salt', async (t) => {
  const costly = await startTestApp({}, service.db, { hashesCheaply: false })
  t.after(() => costly.close())
  const people = [await signUp(costly.client), await signUp(costly.client)] as const
  await people[1].api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW })
  const { body } = await people[0].api.post('/companies/users', { name: 'Bob', email: anyEmail() })
  const rows = await service.db.query<{ hash: string }>(`select hash from passwords where account_id = any ($1)`, [
    [...people, body.data].map(({ id }) => id),
  ])
  assert.equal(rows.length, 3)
  for (const { hash } of rows)
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.equal(new Set(rows.map(({ hash }) => hash.split('$')[4])).size, 3)
})

it('refuses requests for hashing when the queue is full', async () => {
  const hashing = await createHashing({ cores: 1 })
  const answers = await Promise.allSettled(Array.from({ length: 70 }, () => hashOf(PASSWORD, hashing)))
  const refused = answers.filter((answer) => answer.status === 'rejected')
  assert.equal(refused.length, 4)
  assert.equal((refused[0]?.reason as { code: string } | undefined)?.code, 'overloaded')
  assert.equal(typeof (await hashOf(PASSWORD, hashing)), 'string')
})
