import { createHash, createHmac, createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto'

/** One secret of the operator and all that is derived from it. */
export interface KeySet {
  /** Names the signing key in a token's header: its thumbprint by RFC 7638. */
  kid: string
  signing: KeyObject
  verifying: KeyObject
  /** The public key as published, RFC 8037. */
  jwk: { kty: 'OKP'; crv: 'Ed25519'; x: string; kid: string; alg: 'EdDSA'; use: 'sig' }
  /** 32 bytes that only this secret gives for this purpose and text. */
  mac(purpose: string, text: string): Buffer
}

/** The keys in force: the current ones sign, the previous ones are still believed while a secret is being replaced. */
export interface Keys {
  current: KeySet
  accepted: KeySet[]
}

export function keysFrom(secret: string, previous?: string): Keys {
  const current = keySetFrom(secret)
  return { current, accepted: previous ? [current, keySetFrom(previous)] : [current] }
}

function keySetFrom(secret: string): KeySet {
  const signing = ed25519KeyFrom(derive(secret, 'sign tokens v1'))
  const verifying = createPublicKey(signing)
  const x = verifying.export({ format: 'jwk' }).x as string
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
  const macKeys = new Map<string, Buffer>()
  return {
    kid,
    signing,
    verifying,
    jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' },
    mac(purpose, text) {
      const key = macKeys.get(purpose) ?? derive(secret, purpose)
      macKeys.set(purpose, key)
      return createHmac('sha256', key).update(text).digest()
    },
  }
}

/** HKDF (RFC 5869): a purpose of its own gives a key of its own. */
function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'tenantry', purpose, 32))
}

/** Node reads a private key only in an envelope; this is the one of RFC 8410 for 32 raw bytes. */
function ed25519KeyFrom(seed: Buffer): KeyObject {
  const envelope = Buffer.from('302e020100300506032b657004220420', 'hex')
  return createPrivateKey({ key: Buffer.concat([envelope, seed]), format: 'der', type: 'pkcs8' })
}
