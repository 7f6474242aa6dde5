import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp, type TestApp, useTestApp } from '../../../test/support/app.ts'
import { Authenticator } from '../../../test/support/authenticator.ts'
import { addApp, mailboxCodeTo } from '../../../test/support/factors.ts'
import { createInvitationLink, joinByLink } from '../../../test/support/invitations.ts'
import { addMember, emailedPassword } from '../../../test/support/members.ts'
import { assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { totpCode, totpStepAt } from '../../lib/totp.ts'

const service = await useTestApp()
const { client, db, mailbox } = service

const TOTP = '/auth/factors/totp'
const STARTS = ['/auth/factors/passkeys/options', TOTP]
const start = ({ api }: Pick<Person, 'api'>, emailCode?: string, path = STARTS[0] as string) =>
  api.post(path, emailCode === undefined ? {} : { emailCode })
const newestCode = ({ email }: Pick<Person, 'email'>, from: TestApp = service) => mailboxCodeTo(from, email)
const accountOf = async ({ id }: Pick<Person, 'id'>) =>
  (await db.query('select email_verified_at, password_shown_at from accounts where id = $1', [id]))[0]
const verify = ({ id }: Pick<Person, 'id'>) =>
  db.query('update accounts set email_verified_at = now() where id = $1', [id])

describe('before its first second factor an account proves its mailbox', () => {
  for (const path of STARTS) {
    it(`with a code from an email: ${path}`, async () => {
      const ann = await signUp(client)
      assertProblem(await start(ann, undefined, path), 403, 'mailbox_code_required')
      assert.equal((await accountOf(ann))?.email_verified_at, null)
      const [email] = await mailbox.to(ann.email, 'mailbox_code')
      assert.match(email?.text ?? '', /valid for 15 minutes/)

      const { status } = await start(ann, await newestCode(ann), path)
      assert.ok(status === 200 || status === 201)
      assert.ok((await accountOf(ann))?.email_verified_at)
      const [record] = await db.query(
        `select target_id from audit_records where action = 'accounts.verify_email' and actor_id = $1`,
        [ann.id],
      )
      assert.equal(record?.target_id, ann.id)
      // It holds for this session from now on.
      for (const each of STARTS) assert.ok((await start(ann, undefined, each)).status < 300, each)
    })
  }

  it('also where the address is verified, and another session has proved the mailbox', async () => {
    const ann = await signUp(client)
    await verify(ann)
    const other = await signIn(client, ann.email)
    assertProblem(await start(other), 403, 'mailbox_code_required')
    assert.equal((await start(other, await newestCode(ann))).status, 200)
    assertProblem(await start(ann), 403, 'mailbox_code_required')
  })

  it('again after a change of address', async () => {
    const ann = await signUp(client)
    await start(ann)
    assert.equal((await start(ann, await newestCode(ann))).status, 200)
    await db.query(`update accounts set email = 'new-' || email where id = $1`, [ann.id])
    assertProblem(await start(ann), 403, 'mailbox_code_required')
  })

  it('not by a link that a stranger waits for to be clicked', async () => {
    const strict = await startTestApp({ REQUIRE_VERIFIED_EMAIL: 'true' })
    try {
      const stranger = await signUp(strict.client)
      const token = await strict.mailbox.token(stranger.email, 'confirm_email')
      assert.equal((await strict.client.post('/auth/verify-email', { token })).status, 200)
      assertProblem(await start(stranger), 403, 'mailbox_code_required')
    } finally {
      await strict.close()
    }
  })

  it('so that an account that another person signed up with one’s address has no factor of theirs after a reset', async () => {
    const stranger = await signUp(client)
    assertProblem(await start(stranger), 403, 'mailbox_code_required')
    await client.post('/auth/forgot-password', { email: stranger.email })
    const token = await mailbox.token(stranger.email, 'reset_password')
    assert.equal((await client.post('/auth/reset-password', { token, newPassword: 'Another-horse-8' })).status, 200)
    const owner = await signIn(client, stranger.email, 'Another-horse-8')
    assert.deepEqual((await owner.api.get('/auth/factors')).body.data.factors, [])
  })

  it('so that an administrator who has seen its password adds none', async () => {
    const owner = await signUp(client)
    const { id, email } = await addMember(owner)
    const mailed = await emailedPassword(service, email, ['temporary_password'])
    const bob = await signIn(client, email, mailed)
    await bob.api.post('/auth/change-temporary-password', { currentPassword: mailed, newPassword: PASSWORD })

    const { body } = await owner.api.post(`/companies/users/${id}/reset-password`)
    const { temporaryPassword } = body.data
    const administrator = await signIn(client, email, temporaryPassword)
    assertProblem(await start(administrator), 403, 'password_change_required')
    const change = { currentPassword: temporaryPassword, newPassword: 'Another-horse-8' }
    assert.equal((await administrator.api.post('/auth/change-temporary-password', change)).status, 200)
    assertProblem(await start(administrator), 403, 'mailbox_code_required')
    const shown = await accountOf({ id })
    assert.ok(shown?.password_shown_at)

    // Its owner adds one, with the password that the administrator has chosen: it stays a shown one, in all sessions.
    const session = await signIn(client, email, 'Another-horse-8')
    await start(session)
    assert.equal((await start(session, await newestCode({ email }))).status, 200)
    assert.deepEqual(await accountOf({ id }), shown)
    assertProblem(await session.api.post('/companies', { name: 'Own', taxId: '1' }), 403, 'email_verification_required')
    assertProblem(await start(administrator), 403, 'mailbox_code_required')
  })

  it('and not before a further one, which the first one guards', async () => {
    const ann = await signUp(client)
    await addApp(service, ann)
    await db.query('update accounts set email_verified_at = null where id = $1', [ann.id])
    await db.query('delete from known_networks where account_id = $1', [ann.id])
    assert.equal((await start(ann)).status, 200)
  })
})

describe('the first second factor needs the mailbox also when it is confirmed', () => {
  const confirm = ({ api }: Person, factorId: string, secret: string) =>
    api.post(`/auth/factors/totp/${factorId}/confirm`, { code: totpCode(secret, totpStepAt(Date.now())) })

  it('where the address has changed since the start', async () => {
    const ann = await signUp(client)
    await start(ann, undefined, TOTP)
    const totp = (await start(ann, await newestCode(ann), TOTP)).body.data
    const passkey = (await start(ann)).body.data
    await db.query(`update accounts set email = 'new-' || email where id = $1`, [ann.id])

    assertProblem(await confirm(ann, totp.id, totp.secret), 403, 'mailbox_code_required')
    const credential = new Authenticator().create(passkey.options)
    const adding = { challenge: passkey.challenge, credential }
    assertProblem(await ann.api.post('/auth/factors/passkeys', adding), 403, 'mailbox_code_required')
    assert.deepEqual((await ann.api.get('/auth/factors')).body.data.factors, [])
    // A code was sent with the refusal, for the new start.
    assert.match(await mailboxCodeTo(service, `new-${ann.email}`), /^\d{8}$/)
  })

  it('where the factor is gone that stood in for it at the start', async () => {
    const ann = await signUp(client)
    const { factorId } = await addApp(service, ann)
    await db.query('update sessions set proved_email_for_factor = null where id = $1', [ann.sessionId])
    const totp = (await start(ann, undefined, TOTP)).body.data
    assert.equal((await ann.api.delete(`/auth/factors/${factorId}`)).status, 200)

    assertProblem(await confirm(ann, totp.id, totp.secret), 403, 'mailbox_code_required')
    assert.deepEqual((await ann.api.get('/auth/factors')).body.data.factors, [])
  })

  it('and not for a further one, and not twice in a session', async () => {
    const ann = await signUp(client)
    await start(ann, undefined, TOTP)
    const first = (await start(ann, await newestCode(ann), TOTP)).body.data
    const second = (await start(ann, undefined, TOTP)).body.data
    assert.equal((await confirm(ann, second.id, second.secret)).status, 200)
    assertProblem(await confirm(ann, first.id, first.secret), 404, 'factor_not_found')
    await db.query('update sessions set proved_email_for_factor = null where id = $1', [ann.sessionId])
    const third = (await start(ann, undefined, TOTP)).body.data
    assert.equal((await confirm(ann, third.id, third.secret)).status, 200)
  })
})

describe('a code for the mailbox', () => {
  it('works once, and only the newest one', async () => {
    const ann = await signUp(client)
    await start(ann)
    const first = await newestCode(ann)
    await start(ann)
    const second = await newestCode(ann)
    assert.notEqual(first, second)
    assertProblem(await start(ann, first), 401, 'second_factor_wrong')
    const answers = await Promise.all(Array.from({ length: 5 }, () => start(ann, second)))
    assert.ok(answers.some(({ status }) => status === 200))
    const records = await db.query(
      `select id from audit_records where action = 'accounts.verify_email' and actor_id = $1`,
      [ann.id],
    )
    assert.equal(records.length, 1)
    // Where it is asked for again, it is worth nothing.
    await db.query('update sessions set proved_email_for_factor = null where id = $1', [ann.sessionId])
    assertProblem(await start(ann, second), 401, 'second_factor_wrong')
  })

  it('is refused after five wrong ones, also at once', async () => {
    const ann = await signUp(client)
    await start(ann)
    const code = await newestCode(ann)
    const wrong = code === '00000000' ? '00000001' : '00000000'
    const answers = await Promise.all(Array.from({ length: 20 }, () => start(ann, wrong)))
    for (const answer of answers) assertProblem(answer, 401, 'second_factor_wrong')
    assert.deepEqual(await db.query('select tries from mailbox_codes where session_id = $1', [ann.sessionId]), [
      { tries: 5 },
    ])
    assertProblem(await start(ann, code), 401, 'second_factor_wrong')
    assert.equal((await accountOf(ann))?.email_verified_at, null)
    await start(ann)
    assert.equal((await start(ann, await newestCode(ann))).status, 200)
  })

  it('belongs to the session that asked, and to the address that it was sent to', async () => {
    const ann = await signUp(client)
    const other = await signIn(client, ann.email)
    await start(ann)
    const code = await newestCode(ann)
    assertProblem(await start(other, code), 401, 'second_factor_wrong')
    await db.query(`update accounts set email = 'new-' || email where id = $1`, [ann.id])
    assertProblem(await start(ann, code), 401, 'second_factor_wrong')
  })

  it('is for what its email names alone, and so is the proof that it gives', async () => {
    const ann = await signUp(client)
    const { token } = await createInvitationLink(await signUp(client))
    const answer = (emailCode: string) => ann.api.post('/auth/invitation-links/join', { token, emailCode })
    assertProblem(await joinByLink(ann, token), 403, 'mailbox_code_required')
    const toJoin = await newestCode(ann)
    for (const path of STARTS) assertProblem(await start(ann, toJoin, path), 401, 'second_factor_wrong')
    assert.equal((await answer(toJoin)).status, 200)
    for (const path of STARTS) assertProblem(await start(ann, undefined, path), 403, 'mailbox_code_required')

    const bob = await signUp(client)
    await start(bob)
    const toAdd = await newestCode(bob)
    assertProblem(
      await bob.api.post('/auth/invitation-links/join', { token, emailCode: toAdd }),
      401,
      'second_factor_wrong',
    )
    assert.equal((await start(bob, toAdd)).status, 200)
    assertProblem(await joinByLink(bob, token), 403, 'mailbox_code_required')
    const [adding, joining] = await mailbox.to(bob.email, 'mailbox_code')
    assert.match(adding?.text ?? '', /wants to add a passkey or an authenticator app/)
    assert.match(joining?.text ?? '', /wants to join a company or answer an invitation/)
  })

  it('for joining was no proof of a first factor when that is confirmed', async () => {
    const ann = await signUp(client)
    await start(ann, undefined, TOTP)
    const { id, secret } = (await start(ann, await newestCode(ann), TOTP)).body.data
    await db.query(
      'update sessions set proved_email = proved_email_for_factor, proved_email_for_factor = null where id = $1',
      [ann.sessionId],
    )
    const code = totpCode(secret, totpStepAt(Date.now()))
    assertProblem(await ann.api.post(`${TOTP}/${id}/confirm`, { code }), 403, 'mailbox_code_required')
  })

  it('expires after 15 minutes', async () => {
    const ann = await signUp(client)
    await start(ann)
    const code = await newestCode(ann)
    await db.query(`update mailbox_codes set expires_at = expires_at - interval '15 minutes' where session_id = $1`, [
      ann.sessionId,
    ])
    assertProblem(await start(ann, code), 401, 'second_factor_wrong')
  })

  it('is neither in its row nor in the outbox', async () => {
    const ann = await signUp(client)
    await start(ann)
    const code = await newestCode(ann)
    for (const table of ['mailbox_codes', 'emails', 'audit_records']) {
      const rows = await db.query(`select * from ${table}`)
      assert.ok(rows.length > 0, table)
      assert.ok(!JSON.stringify(rows).includes(code), table)
    }
    assert.ok(!service.logged.join('').includes(code))
  })

  it('has eight digits in a request, or is no code', async () => {
    const ann = await signUp(client)
    for (const code of ['1234567', '123456789', '１２３４５６７８', ' 12345678', ''])
      assertProblem(await start(ann, code), 400, 'validation_failed')
  })

  it('is sent five times an hour at most', async () => {
    const limited = await startTestApp({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000' })
    try {
      const ann = await signUp(limited.client)
      for (let i = 0; i < 5; i++) assertProblem(await start(ann), 403, 'mailbox_code_required')
      const refused = await start(ann)
      assertProblem(refused, 429, 'email_limit_reached')
      assert.ok(Number(refused.headers.get('retry-after')) > 0)
      // The last one that was sent still works.
      assert.equal((await start(ann, await newestCode(ann, limited))).status, 200)
    } finally {
      await limited.close()
    }
  })

  it('does not hold back who may go on: a passkey is added right after it', async () => {
    const ann = await signUp(client)
    await start(ann)
    const { body } = await start(ann, await newestCode(ann))
    const credential = new Authenticator().create(body.data.options)
    const added = await ann.api.post('/auth/factors/passkeys', { challenge: body.data.challenge, credential })
    assert.equal(added.status, 201)
    assert.equal(added.body.data.factor.name, 'Passkey')
  })
})
