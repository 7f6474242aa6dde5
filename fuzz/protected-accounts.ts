import assert from 'node:assert/strict'
import { announceFactorReset } from '../src/features/auth/reset-factors.ts'
import type { TestApp } from '../test/support/app.ts'
import { addApp, challengeFor } from '../test/support/factors.ts'
import { addMember, emailedPassword, join } from '../test/support/members.ts'
import { OPERATOR } from '../test/support/operator.ts'
import { addPasskey, challengeForPasskey, startAdding, startPasskey } from '../test/support/passkeys.ts'
import { PASSWORD, type Person as SignedUp, signIn } from '../test/support/people.ts'
import type { Caller } from './callers.ts'
import type { Canaries } from './canaries.ts'
import { Passkeys } from './passkeys.ts'
import { callerFrom, newPerson } from './people.ts'

export interface ProtectedAccounts {
  callers: Caller[]
  /** Of sign-ins that wait for a second factor. */
  challenges: string[]
  recoveryCodes: string[]
  passkeys: Passkeys
  /** Of the links that undo changes of factors. */
  undoTokens: string[]
}

/** Accounts with second factors: what they have proved decides what their sessions may do. */
export async function createProtectedAccounts(
  service: TestApp,
  canaries: Canaries,
  owner: SignedUp,
): Promise<ProtectedAccounts> {
  const passkeys = new Passkeys()
  const withPasskey = await createPasskeyAccount(service, canaries, owner, passkeys)
  const { protectedCallers, ...factors } = await createProtectedAccount(service, canaries, owner)
  await createManagedAccount(service, owner)
  const pending = callerWaiting(protectedCallers[0] as Caller, factors.challenges[0] as string)
  const undoTokens: string[] = []
  for (const { accountId } of [withPasskey, protectedCallers[0] as Caller]) {
    const [account] = await service.db.query<{ email: string }>('select email from accounts where id = $1', [accountId])
    undoTokens.push(await service.mailbox.token(account?.email ?? '', 'second_factor_added'))
  }
  return { callers: [...protectedCallers, withPasskey, pending], passkeys, undoTokens, ...factors }
}

/** A member whose second factors the company may remove, because it created the account. */
async function createManagedAccount(service: TestApp, owner: SignedUp): Promise<void> {
  const { email } = await addMember(owner, { name: 'A Managed with App' })
  const currentPassword = await emailedPassword(service, email)
  const held = await signIn(service.client, email, currentPassword)
  await held.api.post('/auth/change-temporary-password', { currentPassword, newPassword: PASSWORD })
  await addApp(service, await signIn(service.client, email))
}

/** A person whose password was right and who has not proved a second factor: the challenge is no token of anything. */
const callerWaiting = ({ companyId, password }: Caller, challenge: string): Caller => ({
  name: 'A Pending',
  credentials: 'invalid',
  accountId: undefined,
  sessionId: undefined,
  companyId,
  password,
  accessToken: challenge,
  refreshToken: challenge,
  trait: 'pending second factor',
})

/** An administrator with a second factor, in a session that has proved it and in one from before. */
async function createProtectedAccount(service: TestApp, canaries: Canaries, owner: SignedUp) {
  const person = await newPerson(service, canaries, 'A Protected')
  await join(owner, person, ['Admin'])
  const before = await signIn(service.client, person.email)
  const { secret, recoveryCodes } = await addApp(service, person)
  const waiting = (await person.api.post('/auth/factors/totp', {})).body.data.secret as string
  const challenges: string[] = []
  for (let i = 0; i < 3; i++) challenges.push(await challengeFor(service.client, person))
  const [proved, unproved] = [callerFrom('A Protected', person), callerFrom('A Unproved', before)].map((caller) => ({
    ...caller,
    companyId: owner.company.id,
  })) as [Caller, Caller]
  const protectedCallers = [{ ...proved, trait: 'second factor' as const, apps: [secret, waiting] }, unproved]
  return { protectedCallers, challenges, recoveryCodes }
}

const WAITING = 3

/** An administrator with a passkey, and what its authenticator has signed for every purpose. */
async function createPasskeyAccount(
  service: TestApp,
  canaries: Canaries,
  owner: SignedUp,
  passkeys: Passkeys,
): Promise<Caller> {
  const person = await newPerson(service, canaries, 'A Passkey')
  await join(owner, person, ['Admin'])
  const { authenticator } = await addPasskey(service, person)
  const caller = { ...callerFrom('A Passkey', person), companyId: owner.company.id, trait: 'passkey' as const }
  passkeys.add(person.id, authenticator)
  for (let i = 0; i < WAITING; i++) {
    passkeys.answer({ data: await startPasskey(service) }, caller)
    passkeys.answer({ data: await startAdding(person) }, caller)
    passkeys.answer({ challenge: await challengeForPasskey(service, person) }, caller)
    passkeys.answer((await person.api.post('/auth/step-up/options')).body, caller)
  }
  assert.equal(passkeys.answers.size, 4 * WAITING)
  passkeys.saveAsStart()
  return caller
}

const UNDOABLE = 3

/** Tokens by which accounts of no caller undo a change of their factors, and cancel their removal. */
export async function createUndoableFactors(service: TestApp, canaries: Canaries): Promise<string[]> {
  const tokens: string[] = []
  for (let nth = 0; nth < UNDOABLE; nth++) {
    const person = await newPerson(service, canaries, `Undoing ${nth}`)
    await addApp(service, person)
    tokens.push(await service.mailbox.token(person.email, 'second_factor_added'))
    await announceFactorReset(service.database, OPERATOR, person.id, undefined)
    tokens.push(await service.mailbox.token(person.email, 'factor_reset_announced'))
  }
  return tokens
}
