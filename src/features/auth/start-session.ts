import type { RequestInfo } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../lib/ids.ts'
import type { PasswordKind } from '../accounts/passwords.ts'
import type { Proof } from '../accounts/proofs.ts'
import { createSession } from '../accounts/sessions.ts'
import { createTokenPair } from '../accounts/tokens.ts'
import { record } from '../audit/records.ts'
import { notifyOfNewSignIn } from './new-sign-in.ts'
import type { SignedIn } from './schemas.ts'
import { findSessionContext } from './session-context.ts'

/** Who signs in, with the address that was used for it. */
export interface SigningIn {
  id: string
  name: string
  email: string
}

/**
 * The kinds of passwords that a sign-in makes obsolete. An owner who signs in with their own password does not need one
 * that was emailed in addition.
 */
export const OBSOLETE_AFTER: Record<PasswordKind, PasswordKind[]> = {
  chosen: ['temporary', 'second'],
  temporary: ['second'],
  second: [],
}

/**
 * Opens a session of an account that was there before. Its statements are sent together. Undefined: the account has been disabled
 * in this moment, or has another address; then the caller rolls back.
 */
export async function startSession(
  { config, keys }: Pick<Deps, 'config' | 'keys'>,
  tx: Tx,
  { id: accountId, name, email }: SigningIn,
  proof: Proof,
  caller: RequestInfo,
): Promise<SignedIn | undefined> {
  const id = newId()
  const [, session, context] = await Promise.all([
    // A session of a temporary password may only choose another one, which is told by email.
    !proof.mustChangePassword && notifyOfNewSignIn(tx, config, accountId, caller),
    createSession(tx, accountId, caller, proof, { id }),
    findSessionContext(tx, { ...caller, accountId, sessionId: id }),
    record(tx, { ...caller, accountId, name, email }, 'sessions.create', { type: 'session', id, label: '' }),
  ])
  return context?.user.email === email ? { ...context, ...createTokenPair(keys, session) } : undefined
}
