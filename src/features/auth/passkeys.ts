import type { Actor } from '../../access/actors.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../problems.ts'
import { lockOwnAccount } from '../accounts/accounts.ts'
import { createChallenge, useChallenge } from '../accounts/challenges.ts'
import { confirmMailboxForFactor } from '../accounts/confirm-mailbox.ts'
import { createPasskeyChallenge, creationOptions, type PasskeyDescriptor } from '../accounts/passkeys/options.ts'
import { findPasskeys, getPasskeyHandle, insertPasskey } from '../accounts/passkeys/passkeys.ts'
import type { PasskeyCreationOptions } from '../accounts/passkeys/schemas.ts'
import { verifyNewPasskey } from '../accounts/passkeys/verification.ts'
import { provedPasskey } from '../accounts/proofs.ts'
import type { MailboxConfirmation } from '../accounts/schemas.ts'
import { completeFactor } from './factors.ts'
import type { AddedFactor, PasskeyAddition } from './schemas.ts'

const PASSKEYS_MAX = 20

/** Also the name of a passkey that its owner did not name. */
const PASSKEY_NAME = 'Passkey'

/** What the browser is asked to create. The mailbox comes first, so that no device keeps a passkey that is then refused. */
export async function startPasskey(
  deps: Deps,
  actor: Actor,
  given: MailboxConfirmation,
): Promise<{ challenge: string; options: PasskeyCreationOptions }> {
  const { config, database, keys } = deps
  await confirmMailboxForFactor(deps, actor, given)
  return database.write(asAccount(actor.accountId), async (tx) => {
    const { id, email, name } = await lockOwnAccount(tx, actor)
    const existing = await findPasskeys(tx, id)
    assertRoom(existing)

    const handle = await getPasskeyHandle(tx, id)
    const webauthn = createPasskeyChallenge()
    const challenge = await createChallenge(tx, keys, { ...asked(actor), accountId: id, webauthn })
    return { challenge, options: creationOptions(config, webauthn, { handle, email, name }, existing) }
  })
}

/** The challenge is used up even where the passkey is refused: the browser has made one for it. */
export async function addPasskey(
  deps: Deps,
  actor: Actor,
  { challenge, credential, name = PASSKEY_NAME }: PasskeyAddition,
): Promise<AddedFactor> {
  const { config, database, keys } = deps
  const scope = asAccount(actor.accountId)
  await confirmMailboxForFactor(deps, actor)
  const webauthn = await database.write(scope, (tx) => useChallenge(tx, keys, challenge, asked(actor)))
  const passkey = webauthn && (await verifyNewPasskey(config.passkeys, webauthn, credential))
  if (!passkey) throw problem('second_factor_wrong')
  return database.write(scope, async (tx) => {
    const account = await lockOwnAccount(tx, actor)
    assertRoom(await findPasskeys(tx, account.id))

    const id = await insertPasskey(tx, account.id, name, passkey)
    return completeFactor(deps, tx, actor, account, provedPasskey(id, passkey))
  })
}

/** Nothing that another session, or a sign-in, has asked for counts here. */
const asked = ({ sessionId, network }: Actor) => ({ purpose: 'enroll', sessionId, network }) as const

function assertRoom(passkeys: PasskeyDescriptor[]): void {
  if (passkeys.length >= PASSKEYS_MAX) throw problem('factor_limit_reached')
}
