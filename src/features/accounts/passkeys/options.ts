import { randomBytes } from 'node:crypto'
import type { Config } from '../../../config/config.ts'
import type { PasskeyRequestOptions } from '../../../lib/passkey-requests.ts'
import { CHALLENGE_MINUTES } from '../challenges.ts'
import { ALGORITHMS } from './public-keys.ts'
import type { PasskeyCreationOptions } from './schemas.ts'

const CHALLENGE_BYTES = 32
/** As long as a challenge is good for an answer. */
const TIMEOUT_MS = CHALLENGE_MINUTES * 60_000

/** A passkey as browsers and authenticators know it. */
export interface PasskeyDescriptor {
  credentialId: Buffer
  /** How its device can be reached, as the browser said when it was created. */
  transports: string[]
}

interface PasskeyOwner {
  /** Random bytes that stand for the account: authenticators store and show them. */
  handle: Buffer
  email: string
  name: string
}

export const createPasskeyChallenge = (): Buffer => randomBytes(CHALLENGE_BYTES)

/** Asks for a passkey that its device finds by itself and that it uses only after it has verified its user. */
export function creationOptions(
  { passkeys, brand }: Config,
  challenge: Buffer,
  owner: PasskeyOwner,
  existing: PasskeyDescriptor[],
): PasskeyCreationOptions {
  return {
    challenge: challenge.toString('base64url'),
    rp: { id: passkeys.rpId, name: brand.name },
    user: { id: owner.handle.toString('base64url'), name: owner.email, displayName: owner.name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: TIMEOUT_MS,
    attestation: 'none',
    excludeCredentials: existing.map(descriptor),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  }
}

/** `allowed`: the passkeys of the account. Empty where the account is not known yet. */
export function requestOptions(
  { passkeys }: Config,
  challenge: Buffer,
  allowed: PasskeyDescriptor[],
): PasskeyRequestOptions {
  return {
    challenge: challenge.toString('base64url'),
    rpId: passkeys.rpId,
    timeout: TIMEOUT_MS,
    allowCredentials: allowed.map(descriptor),
    userVerification: 'required',
  }
}

const descriptor = ({ credentialId, transports }: PasskeyDescriptor) => ({
  type: 'public-key' as const,
  id: credentialId.toString('base64url'),
  transports,
})
