import type { RequestInfo } from '../../access/actors.ts'
import { lockCompanyToJoin } from '../../access/memberships.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyone, asAnyoneFrom, enterAccount, enterCompany } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../lib/ids.ts'
import { problem } from '../../problems.ts'
import { assertAcceptablePassword, passwordClassOf } from '../accounts/password-policy.ts'
import { provedNewAccount } from '../accounts/proofs.ts'
import { createSession } from '../accounts/sessions.ts'
import { createTokenPair } from '../accounts/tokens.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { createAccount } from '../auth/register.ts'
import type { SignedIn } from '../auth/schemas.ts'
import { getSessionContext } from '../auth/session-context.ts'
import { admit, findAdmission, findLocked, type Refused, refuseInvitation } from './admission.ts'
import { getInvitationLinkId, getPendingByLink, type LinkedInvitation } from './find-invitation.ts'
import type { InvitedRegistration } from './schemas.ts'

/**
 * Creates an account for the address of the invitation, which the token verifies, makes it a member, and signs it in. The
 * address is never taken from the request, and no company is created.
 */
export async function registerInvited(
  deps: Deps,
  { token, password, ...wanted }: InvitedRegistration,
  caller: RequestInfo,
): Promise<SignedIn> {
  const { config, database, hashing, keys } = deps
  if (config.signUp === 'closed') throw problem('sign_up_closed')
  const linkId = getInvitationLinkId(keys, token)
  const found = await getPendingByLink(database.autocommit(asAnyone), linkId)
  if (found.has_account) throw problem('email_taken')
  assertAcceptablePassword(password, found.email, config, 'password')
  const passwordClass = passwordClassOf(password, found.email, config)
  const hash = await hashing.run(caller, { isKnown: false }, (hasher) => hasher.hash(password))

  const outcome = await database.write(asAnyoneFrom(caller.network), (tx) =>
    joinAsNew(tx, deps, { ...wanted, found, linkId, hash, passwordClass, id: newId() }, caller),
  )
  if ('refused' in outcome) throw problem(outcome.refused)
  return outcome
}

interface Newcomer {
  id: string
  name: string
  locale?: string | undefined
  hash: string
  passwordClass: number
  found: LinkedInvitation
  linkId: string
}

/** The company is locked before the account exists, as everywhere. */
async function joinAsNew(
  tx: Tx,
  { config, keys }: Deps,
  { id, name, locale, hash, passwordClass, found, linkId }: Newcomer,
  caller: RequestInfo,
): Promise<SignedIn | Refused> {
  const { email, company_id } = found
  const actor = { ...caller, accountId: id, name, email }
  const [, isOpen, invitation] = await Promise.all([
    enterCompany(tx, company_id, id),
    lockCompanyToJoin(tx),
    findLocked(tx, found.id),
  ])
  if (!isOpen || !invitation?.is_pending || invitation.link_id !== linkId) throw problem('link_invalid')
  const admission = await findAdmission(tx, invitation)
  if (!admission) return refuseInvitation(tx, { ...caller, email }, invitation)

  await enterAccount(tx, id)
  const account = await createAccount(tx, { id, email, name, locale: locale || found.locale, isVerified: true }, hash)
  const [session] = await Promise.all([
    createSession(tx, id, caller, provedNewAccount(passwordClass)),
    record(tx, actor, 'accounts.register', accountSubject(account)),
    enterCompany(tx, company_id, id),
    admit(tx, actor, config, invitation, account, admission),
  ])
  await enterAccount(tx, id)
  const context = await getSessionContext(tx, { ...caller, accountId: id, sessionId: session.id })
  return { ...context, ...createTokenPair(keys, session) }
}
