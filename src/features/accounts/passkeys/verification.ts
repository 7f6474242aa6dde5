import type { PasskeyNames } from '../../../config/config.ts'
import { ALGORITHMS, assertUsableKey, type CoseKey } from './public-keys.ts'
import type { NewPasskey, PasskeyAssertion } from './schemas.ts'

/** A credential id has at most so many bytes (WebAuthn, section 5.8.3), and fewer than 16 would not be random. */
const ID_BYTES_MIN = 16
const ID_BYTES_MAX = 1023
const PUBLIC_KEY_BYTES_MAX = 1024
/** More than any authenticator needs without certificates, and little enough to decode at once. */
const ATTESTATION_BYTES_MAX = 4096

export interface VerifiedPasskey {
  credentialId: Buffer
  /** COSE. */
  publicKey: Buffer
  counter: number
  transports: string[]
  /** It is kept by a provider that copies it to other devices of its user. */
  isBackedUp: boolean
  /** The kind of authenticator, all zeros where that is not told. */
  aaguid: string
}

export interface VerifiedAssertion {
  /** How often the authenticator has signed; 0 where it does not count. */
  counter: number
  isBackedUp: boolean
}

/** Of an existing passkey. */
export interface KnownPasskey {
  credentialId: Buffer
  publicKey: Buffer
}

/** Undefined: it is no passkey that was made now, for this challenge, on one of our pages, with its user verified. */
export async function verifyNewPasskey(
  passkeys: PasskeyNames,
  challenge: Buffer,
  response: NewPasskey,
): Promise<VerifiedPasskey | undefined> {
  const library = await load()
  try {
    assertWithoutCertificates(library, response)
    const { transports, ...created } = response.response
    const { verified, registrationInfo } = await library.verifyRegistrationResponse({
      response: { ...response, response: created, clientExtensionResults: {} },
      ...expected(library, passkeys, challenge, response),
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) return undefined
    const { credential, aaguid, credentialBackedUp: isBackedUp } = registrationInfo
    const [credentialId, publicKey] = [Buffer.from(credential.id, 'base64url'), Buffer.from(credential.publicKey)]
    assertSound(library, response, credentialId, publicKey)
    const { counter } = credential
    return { credentialId, publicKey, counter, transports: [...new Set(transports)], isBackedUp, aaguid }
  } catch {
    return undefined
  }
}

/**
 * Undefined: it was not signed with this passkey now, for this challenge, on one of our pages, with its user verified. Whether
 * the counter has grown is for the caller to decide, because only a good signature says anything about it.
 */
export async function verifyPasskeyAssertion(
  passkeys: PasskeyNames,
  challenge: Buffer,
  { credentialId, publicKey }: KnownPasskey,
  response: PasskeyAssertion,
): Promise<VerifiedAssertion | undefined> {
  const library = await load()
  try {
    const { userHandle, ...signed } = response.response
    const { verified, authenticationInfo } = await library.verifyAuthenticationResponse({
      response: { ...response, response: signed, clientExtensionResults: {} },
      credential: { id: credentialId.toString('base64url'), publicKey: new Uint8Array(publicKey), counter: 0 },
      ...expected(library, passkeys, challenge, response),
    })
    // A wrong signature is told by the result, and everything else by an error.
    if (!verified) return undefined
    return { counter: authenticationInfo.newCounter, isBackedUp: authenticationInfo.credentialBackedUp }
  } catch {
    return undefined
  }
}

type Library = Awaited<ReturnType<typeof load>>

/** Not at the start: it takes a third of the time and a quarter of the memory that the whole service does. */
async function load() {
  const [server, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ])
  return { ...server, ...helpers }
}

function expected(
  library: Library,
  passkeys: PasskeyNames,
  challenge: Buffer,
  response: NewPasskey | PasskeyAssertion,
) {
  return {
    expectedChallenge: challenge.toString('base64url'),
    expectedOrigin: expectedOrigin(library, passkeys, response.response.clientDataJSON),
    expectedRPID: passkeys.rpId,
    requireUserVerification: true,
  }
}

const ON_THIS_MACHINE = /^http:\/\/localhost(:\d{1,5})?$/

/** A page that shows ours in a frame can lay something else over it, so it gets nothing signed. */
function expectedOrigin({ decodeClientDataJSON }: Library, { origins }: PasskeyNames, clientData: string): string[] {
  const { origin, crossOrigin, topOrigin } = decodeClientDataJSON(clientData)
  if (crossOrigin || topOrigin) throw new Error('Used inside a page of another origin')
  if (origins !== 'loopback') return origins
  return ON_THIS_MACHINE.test(origin) ? [origin] : []
}

/**
 * We ask for no attestation, so a browser sends none or one that the passkey itself has signed. The library would follow the
 * certificates of others, also to addresses that they name.
 */
function assertWithoutCertificates(library: Library, { response }: NewPasskey): void {
  const bytes = Buffer.from(response.attestationObject, 'base64url')
  if (bytes.length > ATTESTATION_BYTES_MAX) throw new Error('Too large')
  const attestation = library.decodeAttestationObject(new Uint8Array(bytes))
  const format = attestation.get('fmt')
  const isSelfSigned = format === 'packed' && !attestation.get('attStmt').get('x5c')
  if (format !== 'none' && !isSelfSigned) throw new Error('An attestation that was not asked for')
}

function assertSound(library: Library, response: NewPasskey, credentialId: Buffer, publicKey: Buffer): void {
  const isSameId = credentialId.toString('base64url') === response.id
  if (!isSameId || credentialId.length < ID_BYTES_MIN || credentialId.length > ID_BYTES_MAX)
    throw new Error('A credential id of the wrong size')
  if (publicKey.length > PUBLIC_KEY_BYTES_MAX) throw new Error('A public key that is too large')
  assertUsableKey(library.decodeCredentialPublicKey(new Uint8Array(publicKey)) as unknown as CoseKey)
}
