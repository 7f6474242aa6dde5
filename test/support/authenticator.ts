import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type {
  NewPasskey,
  PasskeyAssertion,
  PasskeyCreationOptions,
} from '../../src/features/accounts/passkeys/schemas.ts'
import type { PasskeyRequestOptions } from '../../src/lib/passkey-requests.ts'
import { APP_URL } from './app.ts'

// An authenticator with its browser, written by hand from WebAuthn Level 3, so that passkeys are tested through HTTP without a
// browser, and so that it can lie about everything that a real one would not.

type Algorithm = 'ES256' | 'EdDSA' | 'RS256'

/** What a real authenticator or browser decides; left out: what an honest one would do. */
export interface Behavior {
  origin?: string
  rpId?: string
  type?: string
  challenge?: string
  isPresent?: boolean
  isVerified?: boolean
  counter?: number
  clientData?: object
  userHandle?: string | null
}

interface NewBehavior extends Behavior {
  /** Instead of a random one. */
  id?: Buffer
}

export interface Passkey {
  id: Buffer
  /** COSE. */
  publicKey: Buffer
  userHandle: string
  counter: number
}

const FLAGS = { present: 1, verified: 4, eligible: 8, backedUp: 16, attested: 64 }
const AAGUID = Buffer.from('ea9b8d664d011d213ce4b6b48cb575d4', 'hex')

export class Authenticator {
  readonly passkeys: (Passkey & { privateKey: KeyObject; algorithm: Algorithm })[] = []
  readonly #algorithm: Algorithm
  readonly #idBytes: number
  /** It keeps passkeys on one device and counts signatures; otherwise it copies them to a provider and does not count. */
  readonly #isHardware: boolean
  readonly #publicKey: Buffer | undefined

  /** `publicKey`: what it says instead of its own, in COSE. */
  constructor({
    algorithm = 'ES256',
    isHardware = false,
    idBytes = 32,
    publicKey,
  }: { algorithm?: Algorithm; isHardware?: boolean; idBytes?: number; publicKey?: Buffer } = {}) {
    this.#algorithm = algorithm
    this.#isHardware = isHardware
    this.#publicKey = publicKey
    this.#idBytes = idBytes
  }

  /** As `navigator.credentials.create()` and `toJSON()`. */
  create(
    options: PasskeyCreationOptions,
    { id = randomBytes(this.#idBytes), ...behavior }: NewBehavior = {},
  ): NewPasskey {
    const { publicKey, privateKey } = generateKeyPairFor(this.#algorithm)
    const passkey = {
      id,
      publicKey: this.#publicKey ?? coseKey(this.#algorithm, publicKey),
      userHandle: options.user.id,
      counter: this.#isHardware ? 1 : 0,
    }
    this.passkeys.push({ ...passkey, privateKey, algorithm: this.#algorithm })
    const idLength = Buffer.alloc(2)
    idLength.writeUInt16BE(passkey.id.length)
    const attested = Buffer.concat([AAGUID, idLength, passkey.id, passkey.publicKey])
    const data = this.#authenticatorData(options.rp.id, passkey.counter, behavior, attested)
    const name = passkey.id.toString('base64url')
    return {
      id: name,
      rawId: name,
      type: 'public-key',
      response: {
        clientDataJSON: clientData('webauthn.create', options.challenge, behavior).toString('base64url'),
        attestationObject: attestationObject(data).toString('base64url'),
        transports: this.#isHardware ? ['usb'] : ['internal', 'hybrid'],
      },
    }
  }

  /** As `navigator.credentials.get()` and `toJSON()`, with the newest passkey. */
  get(options: Pick<PasskeyRequestOptions, 'challenge' | 'rpId'>, behavior: Behavior = {}): PasskeyAssertion {
    const passkey = this.passkeys.at(-1)
    if (!passkey) throw new Error('The authenticator has no passkey')
    if (this.#isHardware) passkey.counter++
    const data = this.#authenticatorData(options.rpId, passkey.counter, behavior)
    const client = clientData('webauthn.get', options.challenge, behavior)
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
    const signature = sign(passkey.algorithm === 'EdDSA' ? null : 'sha256', signed, passkey.privateKey)
    const id = passkey.id.toString('base64url')
    return {
      id,
      rawId: id,
      type: 'public-key',
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: behavior.userHandle === undefined ? passkey.userHandle : behavior.userHandle,
      },
    }
  }

  #authenticatorData(rpId: string, ownCounter: number, behavior: Behavior, attested = Buffer.alloc(0)): Buffer {
    const { isPresent = true, isVerified = true, counter = ownCounter } = behavior
    const flags =
      (isPresent ? FLAGS.present : 0) |
      (isVerified ? FLAGS.verified : 0) |
      (this.#isHardware ? 0 : FLAGS.eligible | FLAGS.backedUp) |
      (attested.length > 0 ? FLAGS.attested : 0)
    const rest = Buffer.alloc(5)
    rest.writeUInt8(flags)
    rest.writeUInt32BE(counter, 1)
    const rpIdHash = createHash('sha256')
      .update(behavior.rpId ?? rpId)
      .digest()
    return Buffer.concat([rpIdHash, rest, attested])
  }
}

function clientData(type: string, challenge: string, behavior: Behavior): Buffer {
  const { origin = APP_URL } = behavior
  const fields = { type, challenge, origin, crossOrigin: false }
  const { type: otherType = type, challenge: otherChallenge = challenge } = behavior
  return Buffer.from(JSON.stringify({ ...fields, type: otherType, challenge: otherChallenge, ...behavior.clientData }))
}

/** With the attestation `none`, or with a statement of this format. */
export const attestationObject = (authenticatorData: Buffer, format = 'none', statement = cborMap([])): Buffer =>
  cborMap([
    [cborText('fmt'), cborText(format)],
    [cborText('attStmt'), statement],
    [cborText('authData'), cborBytes(authenticatorData)],
  ])

function generateKeyPairFor(algorithm: Algorithm) {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519')
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 })
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function coseKey(algorithm: Algorithm, key: KeyObject): Buffer {
  const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' })
  const bytes = (text: string) => cborBytes(Buffer.from(text, 'base64url'))
  const parameters: Record<Algorithm, [number, Buffer][]> = {
    ES256: [
      [1, cborInt(2)],
      [3, cborInt(-7)],
      [-1, cborInt(1)],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ],
    EdDSA: [
      [1, cborInt(1)],
      [3, cborInt(-8)],
      [-1, cborInt(6)],
      [-2, bytes(x)],
    ],
    RS256: [
      [1, cborInt(3)],
      [3, cborInt(-257)],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ],
  }
  return cborMap(parameters[algorithm].map(([label, value]) => [cborInt(label), value]))
}

// CBOR (RFC 8949): a head with the kind and a length or value, then the content.
const cborHead = (kind: number, value: number): Buffer => {
  if (value < 24) return Buffer.from([(kind << 5) | value])
  if (value < 256) return Buffer.from([(kind << 5) | 24, value])
  return Buffer.from([(kind << 5) | 25, value >> 8, value & 255])
}
export const cborInt = (value: number): Buffer => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value))
export const cborBytes = (value: Buffer): Buffer => Buffer.concat([cborHead(2, value.length), value])
export const cborText = (value: string): Buffer =>
  Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)])
export const cborArray = (items: Buffer[]): Buffer => Buffer.concat([cborHead(4, items.length), ...items])
export const cborMap = (entries: [Buffer, Buffer][]): Buffer =>
  Buffer.concat([cborHead(5, entries.length), ...entries.flat()])
