import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/support/app.ts'
import { Authenticator } from '../../../test/support/authenticator.ts'
import type { Answer } from '../../../test/support/client.ts'
import { addApp, confirmFactor } from '../../../test/support/factors.ts'
import { accept, invitationToken, invite } from '../../../test/support/invitations.ts'
import { addManagedMember, addMember, join, link } from '../../../test/support/members.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { type AddedPasskey, addPasskey, startAdding, tryPasskey } from '../../../test/support/passkeys.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { setPolicy } from '../../../test/support/policies.ts'
import { newId } from '../../lib/ids.ts'
import { linkToken } from '../../lib/secrets.ts'
import { deleteExpired } from '../housekeeping/housekeeping.ts'
import { disableAccount, enableAccount } from './disable-account.ts'
import { removePasswords } from './operated-accounts.ts'

let service: TestApp
before(async () => {
  service = await startTestApp()
})
after(() => service.close())

const NEW = 'Another-horse-8'
type Signed = Pick<Person, 'id' | 'email' | 'api'>

const requestChange = async ({ api }: Signed, email: string, { mailbox } = service) => {
  assert.equal((await api.put('/auth/profile', { email })).status, 200)
  return mailbox.token(email, 'change_email')
}

/** Changes the address as a person does who is signed in and reads the new address; gives the link for the one before. */
async function changeEmail(
  person: Signed,
  email = anyEmail(),
  node = service,
): Promise<{ email: string; undo: string }> {
  const { user } = (await person.api.get('/auth/me')).body.data
  const token = await requestChange(person, email, node)
  assert.equal((await node.client.post('/auth/verify-email', { token })).status, 200)
  return { email, undo: await node.mailbox.token(user.email, 'email_changed') }
}

/** To the address that the person signed up with. */
async function restoreByChange(person: Signed): Promise<void> {
  const token = await requestChange(person, person.email)
  assert.equal((await service.client.post('/auth/verify-email', { token })).status, 200)
}

const undo = (token: string, node = service) => node.client.post('/auth/undo-email-change', { token })
const login = (email: string, password: string) => service.client.post('/auth/login', { email, password })
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort()

async function addressOf({ id }: Pick<Person, 'id'>): Promise<string> {
  const [row] = await service.db.query<{ email: string }>('select email from accounts where id = $1', [id])
  return row?.email as string
}

/** By the link in the email to the restored address. */
async function chooseNewPassword(email: string, newPassword = NEW): Promise<Person> {
  const token = await service.mailbox.token(email, 'email_restored')
  assert.equal((await service.client.post('/auth/reset-password', { token, newPassword })).status, 200)
  return signIn(service.client, email, newPassword)
}

/** As if the changes of the account’s factors were three days ago. */
const endFactorUndos = ({ id }: Pick<Person, 'id'>) =>
  service.db.query('update factor_change_undos set expires_at = now() where account_id = $1', [id])

/** As if days had passed since the changes of the account’s factors, and since those of its address. */
async function letDaysPass({ id }: Pick<Person, 'id'>, days: number): Promise<void> {
  const columns = {
    second_factors: ['confirmed_at'],
    factor_change_undos: ['created_at', 'expires_at'],
    email_change_undos: ['created_at', 'expires_at'],
  }
  for (const [table, names] of Object.entries(columns)) {
    const earlier = names.map((name) => `${name} = ${name} - make_interval(days => $2)`).join(', ')
    await service.db.query(`update ${table} set ${earlier} where account_id = $1`, [id, days])
  }
}

const letPass = (days: number) =>
  service.db.query(`update email_change_undos set expires_at = expires_at - make_interval(days => $1)`, [days])

/** The address changes while the requests, which began before, wait for the account. */
async function changeInBetween({ id, email }: Signed, send: () => Promise<Answer>[]) {
  const undoId = newId()
  await service.db.query('begin')
  await service.db.query('select from accounts where id = $1 for no key update', [id])
  const answers = send()
  await service.db.waitForLock(answers.length)
  await service.db.query(`update accounts set email = 'x' || email where id = $1`, [id])
  await service.db.query(
    `insert into email_change_undos (id, account_id, email, credentials_version, is_reserved, expires_at)
     select $1, id, $2, credentials_version, true, clock_timestamp() + interval '7 days' from accounts where id = $3`,
    [undoId, email, id],
  )
  await service.db.query('commit')
  return { answers: await Promise.all(answers), undo: linkToken(service.keys, undoId) }
}

describe('undoing a change of email address', () => {
  it('removes the second factors that were added since, and leaves those from before', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    const mine = await addPasskey(service, ann)
    await endFactorUndos(ann)
    const undos = []
    const stolen: AddedPasskey[] = []
    for (const person of [ann, bob]) {
      undos.push((await changeEmail(person)).undo)
      stolen.push(await addPasskey(service, person))
    }
    for (const token of undos) assert.equal((await undo(token)).status, 200)

    for (const { authenticator } of stolen)
      assertProblem(await tryPasskey(service, authenticator), 401, 'second_factor_wrong')
    assert.equal((await tryPasskey(service, mine.authenticator)).status, 200)
    const left = await service.db.query(
      `select accounts.id, has_second_factor as has, count(hash)::int as codes
       from accounts left join recovery_codes on account_id = accounts.id
       where accounts.id = any ($1) group by accounts.id order by has_second_factor desc`,
      [[ann.id, bob.id]],
    )
    assert.deepEqual(left, [
      { id: ann.id, has: true, codes: 10 },
      { id: bob.id, has: false, codes: 0 },
    ])
  })

  it('removes those that the links of this address could still undo: an intruder adds one and then changes the address', async () => {
    const ann = await signUp(service.client)
    const mine = await addPasskey(service, ann)
    await endFactorUndos(ann)
    const { authenticator: stolen } = await addPasskey(service, ann)
    const { undo: token } = await changeEmail(ann)
    assert.equal((await tryPasskey(service, stolen)).status, 200)
    assert.equal((await undo(token)).status, 200)
    assertProblem(await tryPasskey(service, stolen), 401, 'second_factor_wrong')
    assert.equal((await tryPasskey(service, mine.authenticator)).status, 200)
  })

  it('removes those that the links could undo when the address changed, however late the change is undone', async () => {
    const ann = await signUp(service.client)
    const mine = await addPasskey(service, ann)
    await letDaysPass(ann, 3)
    const { authenticator: stolen } = await addPasskey(service, ann)
    await letDaysPass(ann, 2)
    const { undo: token } = await changeEmail(ann)
    await letDaysPass(ann, 6)
    await deleteExpired(service.database, new AbortController().signal, (error) => assert.fail(error))
    assert.equal((await undo(token)).status, 200)
    assertProblem(await tryPasskey(service, stolen), 401, 'second_factor_wrong')
    assert.equal((await tryPasskey(service, mine.authenticator)).status, 200)
  })

  it('removes what an intruder had asked for before the change and got after it, by an email to the other address', async () => {
    const ann = await signUp(service.client)
    const mine = await addPasskey(service, ann)
    await letDaysPass(ann, 4)
    const [{ challenge, options }, stolen] = [await startAdding(ann), new Authenticator()]
    const credential = stolen.create(options)
    const { answers, undo: token } = await changeInBetween(ann, () => [
      ann.api.post('/auth/factors/passkeys', { challenge, credential, name: 'Stolen' }),
      ann.api.post('/auth/factors/recovery-codes'),
    ])
    assert.deepEqual(statuses(answers), [201, 201])

    assert.equal((await undo(token)).status, 200)
    assertProblem(await tryPasskey(service, stolen), 401, 'second_factor_wrong')
    assert.equal((await tryPasskey(service, mine.authenticator)).status, 200)
    assert.deepEqual(await service.db.query('select from recovery_codes where account_id = $1', [ann.id]), [])
  })

  it('takes recovery codes that were made since, because an intruder may have them', async () => {
    const ann = await signUp(service.client)
    await addPasskey(service, ann)
    await endFactorUndos(ann)
    const { undo: token } = await changeEmail(ann)
    const made = await ann.api.post('/auth/factors/recovery-codes')
    assert.equal(made.status, 201)
    assert.equal((await undo(token)).status, 200)
    const link = await service.mailbox.token(ann.email, 'email_restored')
    await service.client.post('/auth/reset-password', { token: link, newPassword: NEW })
    const { body } = await login(ann.email, NEW)
    assert.equal(body.code, 'second_factor_required')
    const [recoveryCode] = made.body.data.recoveryCodes
    const proof = { challenge: body.challenge.token, recoveryCode }
    assertProblem(await service.client.post('/auth/login/second-factor', proof), 401, 'second_factor_wrong')
  })

  it('gives the account back to the owner of the address before, and nothing to the intruder', async () => {
    const ann = await signUp(service.client)
    const intruder = await signIn(service.client, ann.email)
    const { email: stolen, undo: token } = await changeEmail(intruder)
    const change = { currentPassword: PASSWORD, newPassword: 'Stolen-horse-9' }
    assert.equal((await intruder.api.post('/auth/change-password', change)).status, 200)

    const { status, body } = await undo(token)

    assert.deepEqual([status, body.data], [200, {}])
    for (const { api } of [ann, intruder]) assertProblem(await api.get('/auth/me'), 401, 'token_invalid')
    for (const email of [ann.email, stolen])
      for (const password of [PASSWORD, change.newPassword])
        assertProblem(await login(email, password), 401, 'credentials_wrong')
    const owner = await chooseNewPassword(ann.email)
    const { user, tenants } = (await owner.api.get('/auth/me')).body.data
    assert.deepEqual(
      [user.id, user.email, user.email_verified, user.pending_email],
      [ann.id, ann.email, true, undefined],
    )
    assert.deepEqual(tenants, [ann.company])
    assert.equal((await service.mailbox.to(stolen, 'email_removed')).length, 1)
    const records = await service.db.query(
      `select actor_email, changes from audit_records where action = 'accounts.undo_email_change' and target_id = $1`,
      [ann.id],
    )
    assert.deepEqual(records, [{ actor_email: ann.email, changes: { email: { from: stolen, to: ann.email } } }])
  })

  it('can be checked as often as one likes before it is used, and no longer afterwards', async () => {
    const ann = await signUp(service.client)
    const { undo: token } = await changeEmail(ann)
    const check = (text: string) => service.client.post('/auth/undo-email-change/check', { token: text })

    for (let i = 0; i < 3; i++) assert.equal((await check(token)).status, 200)
    assert.equal((await undo(token)).status, 200)
    const recovery = await service.mailbox.token(ann.email, 'email_restored')
    for (const dead of [token, recovery, 'x']) assertProblem(await check(dead), 400, 'link_invalid')
  })

  it('survives what the intruder does next: new passwords, resets, further changes', async () => {
    const ann = await signUp(service.client)
    const { email: second, undo: token } = await changeEmail(ann)
    await service.client.post('/auth/forgot-password', { email: second })
    const reset = await service.mailbox.token(second, 'reset_password')
    assert.equal((await service.client.post('/auth/reset-password', { token: reset, newPassword: NEW })).status, 200)
    const intruder = await signIn(service.client, second, NEW)
    const { undo: secondUndo } = await changeEmail(intruder)
    const { undo: thirdUndo } = await changeEmail(intruder)

    assert.equal((await undo(token)).status, 200)

    assert.equal(await addressOf(ann), ann.email)
    for (const later of [secondUndo, thirdUndo]) assertProblem(await undo(later), 400, 'link_invalid')
    assert.equal(await addressOf(ann), ann.email)
  })

  it('of a later change takes no link from the owner of an earlier address', async () => {
    const ann = await signUp(service.client)
    const { email: second, undo: annsUndo } = await changeEmail(ann)
    const { undo: intrudersUndo } = await changeEmail(ann)

    assert.equal((await undo(intrudersUndo)).status, 200)
    assert.equal(await addressOf(ann), second)
    assert.equal((await undo(annsUndo)).status, 200)
    assert.equal(await addressOf(ann), ann.email)
  })

  it('is given to no address that the owner has replaced by the one before', async () => {
    const ann = await signUp(service.client)
    const { email: second, undo: annsUndo } = await changeEmail(ann)
    const { email: third, undo: intrudersUndo } = await changeEmail(ann)
    await restoreByChange(ann)
    await letPass(6)

    assertProblem(await undo(intrudersUndo), 400, 'link_invalid')
    assert.equal((await service.mailbox.to(third, 'email_changed')).length, 0)
    const [notice] = await service.mailbox.to(third, 'email_replaced')
    assert.ok(notice?.text.includes(ann.email))
    assert.equal(await addressOf(ann), ann.email)
    assert.equal((await undo(annsUndo)).status, 200)
    assert.deepEqual([await addressOf(ann), (await ann.api.get('/auth/me')).status], [ann.email, 401])
    assert.equal((await service.mailbox.to(second, 'email_removed')).length, 0)
  })

  it('is given to none of them either where the owner has a second factor', async () => {
    const ann = await signUp(service.client)
    await addPasskey(service, ann)
    const { undo: own } = await changeEmail(ann)
    await changeEmail(ann)
    await restoreByChange(ann)
    const links = () => service.db.query('select from email_change_undos where account_id = $1', [ann.id])
    assert.equal((await links()).length, 1)
    assert.equal((await service.client.post('/auth/undo-email-change/check', { token: own })).status, 200)
  })

  /** An account with a link and a second factor, as far as the database goes. */
  async function insertUndoable() {
    const { db, keys } = service
    const [id, linkId] = [newId(), newId()]
    await db.query('insert into accounts (id, email, name) values ($1, $2, $2)', [id, anyEmail()])
    await confirmFactor(db, id)
    await db.query(
      `insert into email_change_undos (id, account_id, email, credentials_version, is_reserved, expires_at)
       values ($1, $2, $3, 1, true, now() + interval '7 days')`,
      [linkId, id, anyEmail()],
    )
    return { id, token: linkToken(keys, linkId) }
  }

  it('ends with the row of an account that has a second factor', async () => {
    const { id, token } = await insertUndoable()
    await service.db.query('delete from accounts where id = $1', [id])
    assertProblem(await undo(token), 400, 'link_invalid')
    assert.deepEqual(await service.db.query('select from email_change_undos where account_id = $1', [id]), [])
  })

  it('is refused as any other that ended where that row is deleted while it is used', async () => {
    const { db } = service
    const { id, token } = await insertUndoable()
    await db.query('begin')
    await db.query('delete from accounts where id = $1', [id])
    const answer = undo(token)
    await db.waitForLock()
    await db.query('commit')
    assertProblem(await answer, 400, 'link_invalid')
  })

  it('is given to an address that is replaced by one of more than 7 days before', async () => {
    const ann = await signUp(service.client)
    const { email: second } = await changeEmail(ann)
    await letPass(7)
    const { undo: token } = await changeEmail(ann, ann.email)
    assert.equal((await undo(token)).status, 200)
    assert.equal(await addressOf(ann), second)
  })

  it('works once and for 7 days', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    const [{ undo: used }, { undo: late }] = [await changeEmail(ann), await changeEmail(bob)]
    assert.equal((await undo(used)).status, 200)
    assertProblem(await undo(used), 400, 'link_invalid')
    await letPass(7)
    assertProblem(await undo(late), 400, 'link_invalid')
    for (const token of ['x', 'x'.repeat(54), `${late}x`]) assertProblem(await undo(token), 400, 'link_invalid')
    assert.equal((await undo('')).status, 400)
  })

  it('is not done by a link of another kind, nor another thing by this link', async () => {
    const ann = await signUp(service.client)
    const { email, undo: token } = await changeEmail(ann)
    await service.client.post('/auth/forgot-password', { email })
    const reset = await service.mailbox.token(email, 'reset_password')
    const change = await requestChange(ann, anyEmail())

    for (const other of [reset, change]) assertProblem(await undo(other), 400, 'link_invalid')
    assertProblem(await service.client.post('/auth/verify-email', { token }), 400, 'link_invalid')
    const body = { token, newPassword: NEW }
    assertProblem(await service.client.post('/auth/reset-password', body), 400, 'link_invalid')
    assert.equal((await undo(token)).status, 200)
  })

  it('cancels what is pending: a change of address, links, temporary passwords', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const { email: second, undo: token } = await changeEmail(ann)
    await link(eve, { ...ann, email: second })
    assert.equal((await eve.api.post(`/companies/users/${ann.id}/reset-password-email`)).status, 200)
    const text = (await service.mailbox.to(second, 'password_reset')).at(-1)?.text ?? ''
    const temporary = /^\w{16}$/m.exec(text)?.[0] as string
    await service.client.post('/auth/forgot-password', { email: second })
    const reset = await service.mailbox.token(second, 'reset_password')
    const change = await requestChange(ann, anyEmail())

    assert.equal((await undo(token)).status, 200)

    assertProblem(await service.client.post('/auth/verify-email', { token: change }), 400, 'link_invalid')
    const body = { token: reset, newPassword: NEW }
    assertProblem(await service.client.post('/auth/reset-password', body), 400, 'link_invalid')
    for (const email of [ann.email, second]) assertProblem(await login(email, temporary), 401, 'credentials_wrong')
    const owner = await chooseNewPassword(ann.email)
    assert.equal((await owner.api.get('/auth/me')).body.data.user.pending_email, undefined)
  })

  it('invalidates stored responses with tokens, also where the address is the same by now', async () => {
    const ann = await signUp(service.client)
    const { email, undo: token } = await changeEmail(ann)
    await restoreByChange(ann)
    const key = { headers: { 'idempotency-key': newId() } }
    const again = () => service.client.post('/auth/login', { email: ann.email, password: PASSWORD }, key)
    assert.equal((await again()).status, 200)

    assert.equal((await undo(token)).status, 200)

    assertProblem(await again(), 401, 'credentials_wrong')
    assertProblem(await ann.api.get('/auth/me'), 401, 'token_invalid')
    assert.equal((await service.mailbox.to(email, 'email_removed')).length, 0)
    assert.equal((await service.mailbox.to(ann.email, 'email_removed')).length, 0)
    await chooseNewPassword(ann.email)
  })

  it('clears the mark of a password that an administrator has seen, with the password', async () => {
    const ann = await signUp(service.client)
    const { id, email, ...member } = await addManagedMember(service, ann)
    const { undo: token } = await changeEmail({ id, email, ...member })
    assert.equal((await ann.api.post(`/companies/users/${id}/reset-password`)).status, 200)

    assert.equal((await undo(token)).status, 200)

    const [row] = await service.db.query(
      `select password_shown_at, email_verified_at is not null as verified, must_change_password,
         (select count(*)::int from passwords where account_id = accounts.id) as passwords
       from accounts where id = $1`,
      [id],
    )
    assert.deepEqual(row, { password_shown_at: null, verified: true, must_change_password: false, passwords: 0 })
    await chooseNewPassword(email)
  })

  it('takes links that were sent before APP_SECRET was replaced', async () => {
    const [older, newer] = ['the-older-secret-of-enough-characters', 'the-newer-secret-of-enough-characters']
    const before = await startTestApp({ APP_SECRET: older }, service.db)
    const ann = await signUp(before.client)
    const { undo: token } = await changeEmail(ann, anyEmail(), before)
    await before.close()

    const without = await startTestApp({ APP_SECRET: newer }, service.db)
    assertProblem(await undo(token, without), 400, 'link_invalid')
    await without.close()
    const after = await startTestApp({ APP_SECRET: newer, APP_SECRET_PREVIOUS: older }, service.db)
    assert.equal((await undo(token, after)).status, 200)
    await after.close()
  })
})

describe('an address that a link can restore', () => {
  it('is taken by no other account for 7 days, and by its own at any time', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    await changeEmail(ann)

    const registration = { email: ann.email, password: PASSWORD, name: 'Eve', companyName: `C ${newId()}`, taxId: '1' }
    assertProblem(await service.client.post('/auth/register', registration), 409, 'email_reserved')
    assertProblem(await eve.api.post('/companies/users', { name: 'Ann', email: ann.email }), 409, 'email_reserved')
    assertProblem(await eve.api.put('/auth/profile', { email: ann.email }), 409, 'email_reserved')
    await restoreByChange(ann)
    assert.equal(await addressOf(ann), ann.email)
    await changeEmail(ann)
    await letPass(7)

    assert.equal((await service.client.post('/auth/register', registration)).status, 201)
  })

  it('is refused also to a change that was requested before', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const free = anyEmail()
    const token = await requestChange(eve, free)
    await changeEmail(ann, free)
    const { undo: second } = await changeEmail(ann)

    assertProblem(await service.client.post('/auth/verify-email', { token }), 409, 'email_reserved')
    assert.equal((await undo(second)).status, 200)
    assert.equal(await addressOf(ann), free)
  })

  it('is taken by none of those who register it while it is changed', async () => {
    const ann = await signUp(service.client)
    const token = await requestChange(ann, anyEmail())
    const register = () =>
      service.client.post('/auth/register', {
        email: ann.email,
        password: PASSWORD,
        name: 'Eve',
        companyName: `C ${newId()}`,
        taxId: '1',
      })

    const [changed, ...refused] = await Promise.all([
      service.client.post('/auth/verify-email', { token }),
      ...Array.from({ length: 20 }, register),
    ])

    assert.equal(changed?.status, 200)
    for (const { status, body } of refused) {
      assert.equal(status, 409)
      assert.match(body.code, /^email_(taken|reserved)$/)
    }
    assert.equal((await undo(await service.mailbox.token(ann.email, 'email_changed'))).status, 200)
  })
})

describe('an address that a company chose', () => {
  it('gets no link, so that an administrator who reads the mailbox does not get the account back', async () => {
    const ann = await signUp(service.client)
    const shown = await addMember(ann)
    const { body } = await ann.api.post(`/companies/users/${shown.id}/reset-password`)
    const temporary = await signIn(service.client, shown.email, body.data.temporaryPassword)
    const change = { currentPassword: body.data.temporaryPassword, newPassword: PASSWORD }
    assert.equal((await temporary.api.post('/auth/change-temporary-password', change)).status, 200)
    const member = await signIn(service.client, shown.email)

    const token = await requestChange(member, anyEmail())
    assert.equal((await service.client.post('/auth/verify-email', { token })).status, 200)

    assert.equal((await service.mailbox.to(shown.email, 'email_changed')).length, 0)
    assert.equal((await service.mailbox.to(shown.email, 'email_replaced')).length, 1)
    assert.deepEqual(await service.db.query('select from email_change_undos where account_id = $1', [member.id]), [])
  })

  it('gets one once its owner has verified it by an emailed password', async () => {
    const member = await addManagedMember(service, await signUp(service.client))
    const { undo: token } = await changeEmail(member)
    assert.equal((await undo(token)).status, 200)
  })
})

describe('races of an undo', () => {
  it('used by 20 requests at once works for one', async () => {
    const ann = await signUp(service.client)
    const { undo: token } = await changeEmail(ann)

    const answers = await Promise.all(Array.from({ length: 20 }, () => undo(token)))

    assert.deepEqual(statuses(answers), [200, ...Array(19).fill(400)])
    assert.equal((await service.mailbox.to(ann.email, 'email_restored')).length, 1)
  })

  it('leaves no session to 20 sign-ins and exchanges of refresh tokens at once', async () => {
    const ann = await signUp(service.client)
    const sessions = await Promise.all(Array.from({ length: 8 }, () => signIn(service.client, ann.email)))
    const { email, undo: token } = await changeEmail(ann)

    const [done, ...answers] = await Promise.all([
      undo(token),
      ...Array.from({ length: 12 }, () => login(email, PASSWORD)),
      ...sessions.map(({ refreshToken }) => service.client.post('/auth/refresh', { refreshToken })),
    ])

    assert.equal(done?.status, 200)
    for (const { status, body } of answers) {
      assert.ok([200, 401].includes(status), JSON.stringify(body))
      if (status === 401) continue
      const { accessToken, refreshToken } = body.data
      assertProblem(await service.client.get('/auth/me', { token: accessToken }), 401, 'token_invalid')
      assertProblem(await service.client.post('/auth/refresh', { refreshToken }), 401, 'refresh_token_invalid')
    }
  })

  it('ends at the restored address, whatever else changes the account at once', async () => {
    for (let round = 0; round < 5; round++) {
      const ann = await signUp(service.client)
      const { email: second, undo: token } = await changeEmail(ann)
      await service.client.post('/auth/forgot-password', { email: second })
      const reset = await service.mailbox.token(second, 'reset_password')
      const change = await requestChange(ann, anyEmail())
      const change20 = { currentPassword: PASSWORD, newPassword: NEW }

      const [done] = await Promise.all([
        undo(token),
        service.client.post('/auth/verify-email', { token: change }),
        service.client.post('/auth/reset-password', { token: reset, newPassword: NEW }),
        ann.api.post('/auth/change-password', change20),
        ann.api.put('/auth/profile', { email: anyEmail() }),
        ann.api.post('/auth/profile/email/resend'),
      ])

      assert.equal(done?.status, 200)
      assert.equal(await addressOf(ann), ann.email)
      assertProblem(await ann.api.get('/auth/me'), 401, 'token_invalid')
      for (const password of [PASSWORD, NEW]) assertProblem(await login(ann.email, password), 401, 'credentials_wrong')
      const left = await service.db.query(
        `select purpose from one_time_links where account_id = $1 union all
         select 'undo' from email_change_undos where account_id = $1`,
        [ann.id],
      )
      assert.deepEqual(left, [{ purpose: 'reset_password' }])
      await chooseNewPassword(ann.email, 'Third-horse-99')
    }
  })
})

describe('an undo after companies were joined by the new address', () => {
  const statusIn = async ({ company }: Person, { id }: Signed) =>
    (
      await service.db.query('select status from memberships where company_id = $1 and account_id = $2', [
        company.id,
        id,
      ])
    )[0]?.status
  const countersOf = async ({ company }: Person) =>
    (
      await service.db.query(
        'select active_members::integer, inactive_members::integer from company_counters where company_id = $1',
        [company.id],
      )
    )[0]

  it('leaves the account inactive there, and as it was where it was a member before or is the only owner', async () => {
    const [stranger, before, inviting, adding] = (await Promise.all(
      Array.from({ length: 4 }, () => signUp(service.client)) as [Promise<Person>, ...Promise<Person>[]],
    )) as [Person, Person, Person, Person]
    await join(before, stranger, ['Admin'])
    await service.db.query(`update memberships set created_at = now() - interval '1 hour' where account_id = $1`, [
      stranger.id,
    ])
    const changed = await changeEmail(stranger)

    const reader = { ...stranger, email: changed.email }
    const token = await invitationToken(service, await invite(inviting, { email: reader.email, roles: ['Admin'] }))
    assert.equal((await accept(reader, token)).status, 200)
    await join(adding, reader, ['Owner'])
    const offer = await inviting.api.post(`/companies/${inviting.company.id}/ownership-transfer`, {
      userId: stranger.id,
    })
    assert.equal(offer.status, 201)
    const own = (await reader.api.post('/companies', { name: `Own ${newId()}`, taxId: '1' })).body.data.id
    const shared = (await reader.api.post('/companies', { name: `Shared ${newId()}`, taxId: '1' })).body.data.id
    await join(
      { ...reader, api: reader.api.with({ company: shared }), company: { ...reader.company, id: shared } },
      before,
      ['Owner'],
    )

    assert.equal((await undo(changed.undo)).status, 200)

    for (const company of [before, stranger]) assert.equal(await statusIn(company, stranger), 'active')
    for (const company of [inviting, adding]) {
      assert.equal(await statusIn(company, stranger), 'inactive')
      assert.deepEqual(await countersOf(company), { active_members: 1, inactive_members: 1 })
      const [record] = (await company.api.get('/companies/audit?action=users.deactivate_undone')).body.data
      assert.deepEqual(
        [record.actor.id, record.actor.email, record.target.id, record.target.label, record.ip, record.changes],
        [stranger.id, reader.email, stranger.id, reader.email, null, { status: { from: 'active', to: 'inactive' } }],
      )
    }
    assert.deepEqual(await service.db.query('select from ownership_offers where to_id = $1', [stranger.id]), [])
    const again = await chooseNewPassword(stranger.email)
    assert.equal((await again.api.with({ company: own }).get('/companies/users')).status, 200)
    for (const id of [inviting.company.id, adding.company.id, shared])
      assertProblem(await again.api.with({ company: id }).get('/companies/users'), 403, 'not_a_member')

    assert.equal((await adding.api.patch(`/companies/users/${stranger.id}`, { status: 'active' })).status, 200)
    assert.equal((await again.api.with({ company: adding.company.id }).get('/companies/users')).status, 200)
  })

  it('leaves an owner beside whom only a disabled one is, and no other member', async () => {
    const [ann, bob, carl] = (await Promise.all(
      Array.from({ length: 3 }, () => signUp(service.client)) as [Promise<Person>, ...Promise<Person>[]],
    )) as [Person, Person, Person]
    const { undo: token } = await changeEmail(ann)
    await join(bob, ann, ['Owner'])
    await join(carl, ann, ['Admin'])
    await service.db.query('update accounts set disabled_at = now() where id = any ($1)', [[bob.id, carl.id]])
    assert.equal((await undo(token)).status, 200)
    assert.equal(await statusIn(bob, ann), 'active')
    assert.equal(await statusIn(carl, ann), 'inactive')
  })

  it('leaves no owner beside one who has yet to add the second factor that the policy asks for', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    const { undo: token } = await changeEmail(ann)
    await join(bob, ann, ['Owner'])
    await setPolicy(service.db, bob.company.id, `policy_factor_from = now(), policy_factor_roles = '{owner}'`)
    assert.equal((await undo(token)).status, 200)
    assert.equal(await statusIn(bob, ann), 'inactive')
  })

  it('takes no ownership along: none is accepted while a former address can take the account back', async () => {
    for (const changed of ['receiver', 'sender'] as const) {
      const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
      const there = await join(bob, ann)
      const path = `/companies/${bob.company.id}/ownership-transfer`
      assert.equal((await bob.api.post(path, { userId: ann.id })).status, 201)
      const accept = () => there.api.post(`${path}/accept`, { currentPassword: PASSWORD })
      const person = changed === 'receiver' ? ann : bob
      await changeEmail(person)
      assertProblem(await accept(), 422, 'address_change_undoable')
      if (changed === 'sender') {
        assert.equal((await bob.api.delete(path)).status, 200)
        const offer = () => bob.api.post(path, { userId: ann.id })
        assertProblem(await offer(), 422, 'address_change_undoable')
        await letDaysPass(person, 7)
        assert.equal((await offer()).status, 201)
      }
      await letDaysPass(person, 7)
      assert.equal((await accept()).status, 200)
    }
  })

  it('leaves an ownership that was offered to the reader of the undone address to no other reader', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    await join(bob, ann)
    await service.db.query(`update memberships set created_at = now() - interval '1 hour' where account_id = $1`, [
      ann.id,
    ])
    const { undo: token } = await changeEmail(ann)
    const path = `/companies/${bob.company.id}/ownership-transfer`
    assert.equal((await bob.api.post(path, { userId: ann.id })).status, 201)
    assert.equal((await undo(token)).status, 200)
    // As a node of 0.2.0 sees it.
    const inTime = await service.db.query('select from ownership_offers where to_id = $1 and expires_at > now()', [
      ann.id,
    ])
    assert.equal(inTime.length, 0)
    await service.db.query(`update ownership_offers set expires_at = now() + interval '7 days' where to_id = $1`, [
      ann.id,
    ])
    const again = (await chooseNewPassword(ann.email)).api.with({ company: bob.company.id })
    assertProblem(await again.post(`${path}/accept`, { currentPassword: PASSWORD }), 422, 'transfer_expired')
    assertProblem(await bob.api.get(path), 404, 'transfer_not_found')
    assert.equal((await bob.api.post(path, { userId: ann.id })).status, 201)
    const accepted = await again.post(`${path}/accept`, { currentPassword: NEW })
    assert.equal(accepted.status, 200)
  })

  it('begins again when a company gets the account meanwhile', async () => {
    const [stranger, bob] = [await signUp(service.client), await signUp(service.client)]
    const { email, undo: token } = await changeEmail(stranger)
    await service.db.query('begin')
    await service.db.query('select from accounts where id = $1 for update', [stranger.id])
    const adding = bob.api.post('/companies/users', { name: 'Late', email })
    await service.db.waitForLock()
    const undoing = undo(token)
    await service.db.waitForLock(2)
    await service.db.query('rollback')
    assert.deepEqual([(await adding).status, (await undoing).status], [201, 200])
    assert.equal(await statusIn(bob, stranger), 'inactive')
    const records = await service.db.query(
      `select from audit_records where company_id = $1 and action = 'users.deactivate_undone'`,
      [bob.company.id],
    )
    assert.equal(records.length, 1)
  })
})

describe('an address that an operator gives back in the database, when no link undoes the change', () => {
  const operations = readFileSync('docs/operations.md', 'utf8')
  const statements = /```sql\n(begin;\nset local[\s\S]*?)```/.exec(operations)?.[1] ?? ''

  it('opens the account to its owner alone', async () => {
    const ann = await signUp(service.client)
    const { email: replaced, undo: token } = await changeEmail(ann)
    await addApp(service, ann)
    await letPass(7)
    const intruder = await changeEmail({ ...ann, email: replaced })
    const link = { email: intruder.email }
    assert.equal((await service.client.post('/auth/forgot-password', link)).status, 200)
    const reset = await service.mailbox.token(intruder.email, 'reset_password')
    assertProblem(await undo(token), 400, 'link_invalid')

    await disableAccount(service.database, OPERATOR, ann.id, { notifies: false })
    assert.match(statements, /ann@example\.com/)
    await service.db.query(
      statements.replaceAll('00000000-0000-0000-0000-000000000000', ann.id).replace('ann@example.com', ann.email),
    )
    await removePasswords(service, OPERATOR, ann.id, 'the address was replaced')
    await enableAccount(service.database, OPERATOR, ann.id, { notifies: true })

    assert.equal(await addressOf(ann), ann.email)
    const choose = (token: string) => service.client.post('/auth/reset-password', { token, newPassword: NEW })
    assertProblem(await choose(reset), 400, 'link_invalid')
    assertProblem(await undo(intruder.undo), 400, 'link_invalid')
    assertProblem(await ann.api.get('/auth/me'), 401, 'token_invalid')
    assert.deepEqual(await service.mailbox.to(intruder.email, 'password_removed'), [])
    assert.equal((await choose(await service.mailbox.token(ann.email, 'password_removed'))).status, 200)
    // The intruder's factor stays until `user reset-factor` has removed it.
    assertProblem(await login(ann.email, NEW), 401, 'second_factor_required')
    await service.db.query('delete from second_factors where account_id = $1', [ann.id])
    const owner = await signIn(service.client, ann.email, NEW)
    assert.equal((await owner.api.get(`/companies/${ann.company.id}`, { company: ann.company.id })).status, 200)
  })
})

describe('an undo where companies wait for verified addresses', () => {
  let strict: TestApp
  before(async () => {
    strict = await startTestApp({ REQUIRE_VERIFIED_EMAIL: 'true' }, service.db)
  })
  after(() => strict.close())

  it('ends memberships of the undone address that await its verification, and notifies those who added it', async () => {
    const [ann, eve] = [await signUp(strict.client), await signUp(strict.client)]
    const { email: second, undo: token } = await changeEmail(ann, anyEmail(), strict)
    // As if the address had not been verified: a company that adds it waits for that.
    await service.db.query('update accounts set email_verified_at = null where id = $1', [ann.id])
    await link(eve, { ...ann, email: second })
    const memberships = () =>
      service.db.query('select from memberships where account_id = $1 and company_id = $2', [ann.id, eve.company.id])
    assert.equal((await memberships()).length, 1)

    assert.equal((await undo(token, strict)).status, 200)

    assert.equal((await memberships()).length, 0)
    assert.equal((await strict.mailbox.to(eve.email, 'unverified_membership_ended')).length, 1)
    assert.equal(await addressOf(ann), ann.email)
  })

  it('reserves no address that was never verified, and fails when another account has taken it', async () => {
    const [squatter, eve] = [await signUp(strict.client), await signUp(strict.client)]
    const { undo: token } = await changeEmail(squatter, anyEmail(), strict)
    const { body } = await eve.api.post('/companies/users', { name: 'Owner of the address', email: squatter.email })

    assert.equal(body.data.isNewUser, true)
    assertProblem(await undo(token, strict), 409, 'email_taken')
  })

  it('reserves an address that was verified', async () => {
    const [ann, eve] = [await signUp(strict.client), await signUp(strict.client)]
    await service.db.query('update accounts set email_verified_at = now() where id = $1', [ann.id])
    const { undo: token } = await changeEmail(ann, anyEmail(), strict)

    const added = await eve.api.post('/companies/users', { name: 'Ann', email: ann.email })
    assertProblem(added, 409, 'email_reserved')
    assert.equal((await undo(token, strict)).status, 200)
  })
})

describe('limits', () => {
  it('never withhold the emails of a change and its undo, and allow 10 undos a minute for one network', async () => {
    const node = await startTestApp({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000' }, service.db)
    const ann = await signUp(node.client)
    await service.db.query(
      `insert into emails (id, kind, recipient_email, recipient_name, expires_at)
       select gen_random_uuid(), kind, $1, 'Ann', now()
       from generate_series(1, 50), unnest(array['email_changed', 'email_restored', 'reset_password']) as kind`,
      [ann.email],
    )
    const { email, undo: token } = await changeEmail(ann, anyEmail(), node)

    assert.equal((await undo(token, node)).status, 200)

    await node.mailbox.token(ann.email, 'email_restored')
    assert.equal((await node.mailbox.to(email, 'email_removed')).length, 1)
    for (let request = 0; request < 9; request++) assertProblem(await undo(token, node), 400, 'link_invalid')
    assertProblem(await undo(token, node), 429, 'rate_limited')
    await node.close()
  })
})
