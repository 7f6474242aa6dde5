import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'

/** The keys that are derived from one APP_SECRET. */
export interface KeySet {
  /** The id of the signing key in a token's header: its thumbprint (RFC 7638). */
  kid: string
  signing: KeyObject
  verifying: KeyObject
  /** The public key in the form that is published (RFC 8037). */
  jwk: { kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; alg: 'EdDSA'; use: 'sig' }
  /** HMAC-SHA-256, 32 bytes, with a key of its own for each purpose. */
  mac(purpose: string, text: string): Buffer
  /** 32 bytes for encryption, of their own for each purpose. */
  derive(purpose: string): Buffer
}

/** Who issues access tokens, and for whom (RFC 7519, 4.1). */
export interface AccessNames {
  /** APP_URL. */
  iss: string
  /** ACCESS_TOKEN_AUDIENCE. */
  aud: string
}

/** Of refresh tokens, and of access tokens from before they named APP_URL, which are accepted until they have expired. */
export const INTERNAL: AccessNames = { iss: 'tenantry', aud: 'tenantry' }

/** The keys in use. `current` signs; `accepted` verifies, and includes those of APP_SECRET_PREVIOUS. */
export interface Keys {
  current: KeySet
  accepted: KeySet[]
  /** What access tokens say besides. */
  access: AccessNames
}

export function keysFrom(secret: string, previous?: string, access: AccessNames = INTERNAL): Keys {
  const current = keySetFrom(secret)
  return { current, accepted: previous ? [current, keySetFrom(previous)] : [current], access }
}

function keySetFrom(secret: string): KeySet {
  const signing = ed25519KeyFrom(derive(secret, 'sign tokens v1'))
  const verifying = createPublicKey(signing)
  const x = verifying.export({ format: 'jwk' }).x as string
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
  // Node converts a key given as bytes at every use, which takes ten times as long as the MAC itself.
  const macKeys = new Map<string, KeyObject>()
  return {
    kid,
    signing,
    verifying,
    jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' },
    mac(purpose, text) {
      const key = macKeys.get(purpose) ?? createSecretKey(derive(secret, purpose))
      macKeys.set(purpose, key)
      return createHmac('sha256', key).update(text).digest()
    },
    derive: (purpose) => derive(secret, purpose),
  }
}

/** HKDF (RFC 5869): each purpose gives another key. */
function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'tenantry', purpose, 32))
}

/** Node reads a private key in PKCS #8 only. RFC 8410 defines the prefix for the 32 bytes of an Ed25519 key. */
function ed25519KeyFrom(seed: Buffer): KeyObject {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  return createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' })
}
