import { createPasskey, getPasskey } from '@tenantry/client'
import { isProblem } from './problems.ts'
import { tenantry } from './tenantry.ts'

type SignInChallenge = Pick<Parameters<typeof tenantry.confirmSignIn>[0], 'challenge'> & {
  options: Parameters<typeof getPasskey>[0]
}

/** Only on pages with TLS, and on localhost. */
export const canUsePasskeys = typeof PublicKeyCredential === 'function'

/** Whether the browser can offer passkeys in the list under a field. */
export const canOfferPasskeys = async (): Promise<boolean> =>
  canUsePasskeys && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true

/**
 * - `cancelled`: the person declined, was too slow, or has no device for it
 * - `known`: the device has a passkey of this account already
 * - `unusable`: the device or the address of the page can’t do it
 * - `refused`: the service did not accept the passkey
 */
type Reason = 'cancelled' | 'known' | 'unusable' | 'refused'

/** What went wrong with a passkey: browsers say it in English, and the service says no more than that it is wrong. */
export class PasskeyTrouble extends Error {
  readonly reason: Reason
  constructor(reason: Reason, cause: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

const REASONS: Record<string, Reason> = {
  NotAllowedError: 'cancelled',
  InvalidStateError: 'known',
  passkey_known: 'known',
  SecurityError: 'unusable',
  NotSupportedError: 'unusable',
  ConstraintError: 'unusable',
  second_factor_wrong: 'refused',
}

async function orTrouble<Result>(ceremony: () => Promise<Result>): Promise<Result> {
  try {
    return await ceremony()
  } catch (error) {
    const name = isProblem(error) ? error.code : error instanceof DOMException ? error.name : ''
    const reason = REASONS[name]
    throw reason ? new PasskeyTrouble(reason, error) : error
  }
}

/** With `conditional` it waits until the person chooses a passkey in the list under the field, or the signal ends it. */
export async function signInByPasskey(init: { mediation?: 'conditional'; signal?: AbortSignal } = {}) {
  const { challenge, options } = await tenantry.passkeys.start({ signal: init.signal })
  return orTrouble(async () => tenantry.passkeys.signIn({ challenge, credential: await getPasskey(options, init) }))
}

export const confirmSignInByPasskey = ({ challenge, options }: SignInChallenge, init: { signal: AbortSignal }) =>
  orTrouble(async () => tenantry.confirmSignIn({ challenge, credential: await getPasskey(options, init) }))

export async function stepUpByPasskey(init: { signal: AbortSignal }) {
  const { challenge, options } = await tenantry.account.stepUpOptions()
  if (!challenge || !options) throw new PasskeyTrouble('refused', undefined)
  return orTrouble(async () => tenantry.account.stepUp({ challenge, credential: await getPasskey(options, init) }))
}

/** Rejects with the problem `mailbox_code_required` before the browser is asked for anything. */
export async function addPasskey(
  { name, emailCode }: { name?: string; emailCode?: string },
  init: { signal: AbortSignal },
) {
  const { factors } = tenantry.account
  const { challenge, options } = await factors.startPasskey(emailCode ? { emailCode } : {})
  return orTrouble(async () =>
    factors.addPasskey({ challenge, credential: await createPasskey(options, init), ...(name && { name }) }),
  )
}
