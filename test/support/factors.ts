import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { totpCode, totpStepAt } from '../../src/lib/totp.ts'
import type { TestApp } from './app.ts'
import type { Answer, Client } from './client.ts'
import type { TestDatabase } from './database.ts'
import { PASSWORD, type Person, signUp } from './people.ts'

/** Gives an account a confirmed second factor in the database alone, with no codes that work. */
export async function confirmFactor(db: Pick<TestDatabase, 'query'>, accountId: string): Promise<string> {
  const id = randomUUID()
  await db.query(
    `insert into second_factors (id, account_id, kind, secret, confirmed_at) values ($1, $2, 'totp', 'x', now())`,
    [id, accountId],
  )
  return id
}

/** As if each of its sessions had entered a code from the mailbox. */
export async function confirmMailbox({ db }: Pick<TestApp, 'db'>, { id }: Pick<Person, 'id'>): Promise<void> {
  await db.query('update accounts set email_verified_at = now() where id = $1', [id])
  await db.query(
    `update sessions set proved_email = accounts.email, proved_email_for_factor = accounts.email from accounts
     where accounts.id = account_id and account_id = $1`,
    [id],
  )
}

/** Signs up a person who may add a first second factor at once. */
export async function signUpVerified(service: Pick<TestApp, 'client' | 'db'>): Promise<Person> {
  const person = await signUp(service.client)
  await confirmMailbox(service, person)
  return person
}

/** The code in the newest email of its kind to an address; empty without one. */
export async function mailboxCodeTo({ mailbox }: Pick<TestApp, 'mailbox'>, email: string): Promise<string> {
  return /^\d{8}$/m.exec((await mailbox.to(email, 'mailbox_code')).at(-1)?.text ?? '')?.[0] ?? ''
}

export interface App {
  factorId: string
  secret: string
  recoveryCodes: string[]
  /** The code that an app shows now, or shows so many steps later. It may have been used. */
  code(distance?: number): string
  /** The same, as if no code had been used for some minutes. */
  unusedCode(): Promise<string>
}

/** Adds an authenticator app to an account, in a session that may. */
export async function addApp({ db }: Pick<TestApp, 'db'>, { id, api }: Pick<Person, 'id' | 'api'>): Promise<App> {
  await confirmMailbox({ db }, { id })
  const started = await api.post('/auth/factors/totp', { name: 'Phone' })
  assert.equal(started.status, 201, JSON.stringify(started.body))
  const { id: factorId, secret } = started.body.data
  const code = (distance = 0) => totpCode(secret, totpStepAt(Date.now()) + distance)
  const confirmed = await api.post(`/auth/factors/totp/${factorId}/confirm`, { code: code() })
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
  const unusedCode = async () => {
    await db.query('update second_factors set last_step = last_step - 10 where id = $1', [factorId])
    return code()
  }
  return { factorId, secret, recoveryCodes: confirmed.body.data.recoveryCodes ?? [], code, unusedCode }
}

/** The challenge of a sign-in with the right password. */
export async function challengeFor(
  client: Client,
  { email }: Pick<Person, 'email'>,
  password = PASSWORD,
): Promise<string> {
  const { status, body } = await client.post('/auth/login', { email, password })
  assert.deepEqual([status, body.code], [401, 'second_factor_required'], JSON.stringify(body))
  return body.challenge.token
}

/** Signs in with the password and a second factor. */
export async function confirmSignIn(
  client: Client,
  person: Pick<Person, 'email'>,
  answer: { code: string } | { recoveryCode: string },
): Promise<Answer> {
  return client.post('/auth/login/second-factor', { challenge: await challengeFor(client, person), ...answer })
}

/** Lets the session's proofs grow old. */
export async function ageProofs({ db }: Pick<TestApp, 'db'>, { sessionId }: Pick<Person, 'sessionId'>, minutes = 10) {
  await db.query(
    `update sessions set authenticated_at = authenticated_at - make_interval(mins => $1),
       second_factor_at = second_factor_at - make_interval(mins => $1) where id = $2`,
    [minutes, sessionId],
  )
}
