import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import path from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { APP_URL } from '../../../../test/support/app.ts'
import {
  Authenticator,
  attestationObject,
  type Behavior,
  cborArray,
  cborBytes,
  cborInt,
  cborMap,
  cborText,
} from '../../../../test/support/authenticator.ts'
import { readConfig } from '../../../config/config.ts'
import { createPasskeyChallenge, creationOptions, requestOptions } from './options.ts'
import { NewPasskey, PasskeyAssertion } from './schemas.ts'
import { verifyNewPasskey, verifyPasskeyAssertion } from './verification.ts'

const config = readConfig({ APP_SECRET: 'uq3Zx9Lr0mVb7TfKd2WsYc5NhPjE8gAo', APP_URL })
const challenge = createPasskeyChallenge()
const owner = { handle: createPasskeyChallenge(), email: 'ann@example.com', name: 'Ann' }
const creation = creationOptions(config, challenge, owner, [])
const request = requestOptions(config, challenge, [])

const verifyNew = (response: NewPasskey, { passkeys } = config) => verifyNewPasskey(passkeys, challenge, response)

async function registered(authenticator = new Authenticator()) {
  const passkey = await verifyNew(authenticator.create(creation))
  assert.ok(passkey)
  const verify = (response: PasskeyAssertion, { passkeys } = config) =>
    verifyPasskeyAssertion(passkeys, challenge, passkey, response)
  return { authenticator, passkey, verify }
}

describe('a passkey', () => {
  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
    it(`of the algorithm ${algorithm} is accepted, and what it signs`, async () => {
      const { authenticator, passkey, verify } = await registered(new Authenticator({ algorithm }))

      assert.deepEqual(passkey.credentialId, authenticator.passkeys[0]?.id)
      assert.deepEqual(passkey.publicKey, authenticator.passkeys[0]?.publicKey)
      assert.equal(passkey.aaguid, 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4')
      assert.deepEqual(await verify(authenticator.get(request)), { counter: 0, isBackedUp: true })
    })
  }

  it('tells whether it is copied to other devices, and how often it has signed', async () => {
    const { authenticator, passkey, verify } = await registered(new Authenticator({ isHardware: true }))

    assert.deepEqual([passkey.isBackedUp, passkey.counter, passkey.transports], [false, 1, ['usb']])
    assert.deepEqual(await verify(authenticator.get(request)), { counter: 2, isBackedUp: false })
    assert.deepEqual(await verify(authenticator.get(request, { counter: 1 })), { counter: 1, isBackedUp: false })
  })

  it('has an id of 16 to 1,023 bytes', async () => {
    const idOf = (idBytes: number) => verifyNew(new Authenticator({ idBytes }).create(creation))
    for (const idBytes of [16, 1023]) assert.equal((await idOf(idBytes))?.credentialId.length, idBytes)
    for (const idBytes of [1, 15, 1024]) assert.equal(await idOf(idBytes), undefined)
  })

  it('is known by the id that it was made with', async () => {
    const response = new Authenticator().create(creation)
    const other = new Authenticator().create(creation)
    assert.equal(await verifyNew({ ...response, id: other.id, rawId: other.id }), undefined)
  })

  it('is accepted on listed pages, and during development on every port of this machine', async () => {
    const authenticator = new Authenticator()
    const at = (origin: string, settings: Record<string, string>) =>
      verifyNew(
        authenticator.create(creation, { origin, rpId: readConfig(settings).passkeys.rpId }),
        readConfig({ APP_SECRET: 'uq3Zx9Lr0mVb7TfKd2WsYc5NhPjE8gAo', ...settings }),
      )
    const listed = { APP_URL, PASSKEY_RP_ID: 'example.com', PASSKEY_ORIGINS: 'https://example.com' }
    assert.ok(await at(APP_URL, listed))
    assert.ok(await at('https://example.com', listed))
    assert.equal(await at('https://www.example.com', listed), undefined)
    assert.ok(await at('http://localhost:5173', {}))
    for (const origin of ['https://localhost.example.com', 'http://localhost:1@example.com', 'http://localhost/', ''])
      assert.equal(await at(origin, {}), undefined, origin)
  })
})

const dishonest: Record<string, Behavior> = {
  'another origin': { origin: 'https://evil.example' },
  'another port': { origin: `${APP_URL}:8443` },
  'an origin that begins like ours': { origin: `${APP_URL}.evil.example` },
  'a domain above ours': { origin: 'https://example.com' },
  'another domain': { rpId: 'evil.example' },
  'another challenge': { challenge: createPasskeyChallenge().toString('base64url') },
  'no challenge': { challenge: '' },
  'another ceremony': { type: 'payment.get' },
  'a frame of another page': { clientData: { crossOrigin: true } },
  'a frame that names the page around it': { clientData: { topOrigin: 'https://evil.example' } },
  'a user who was not there': { isPresent: false },
  'a user who was not verified': { isVerified: false },
}

describe('a credential is refused from', () => {
  for (const [name, behavior] of Object.entries(dishonest)) {
    it(name, async () => {
      const { authenticator, verify } = await registered()
      assert.equal(await verify(authenticator.get(request, behavior)), undefined)
      assert.equal(await verifyNew(new Authenticator().create(creation, behavior)), undefined)
    })
  }

  it('another passkey', async () => {
    const { verify } = await registered()
    const { authenticator: other } = await registered()
    assert.equal(await verify(other.get(request)), undefined)
  })

  it('an authenticator whose answer was changed to say that it has verified its user', async () => {
    const { authenticator, verify } = await registered()
    const assertion = authenticator.get(request, { isVerified: false })
    const data = Buffer.from(assertion.response.authenticatorData, 'base64url')
    data.writeUInt8(data.readUInt8(32) | 4, 32)
    const authenticatorData = data.toString('base64url')
    assert.equal(await verify({ ...assertion, response: { ...assertion.response, authenticatorData } }), undefined)
  })

  it('the other ceremony', async () => {
    const { authenticator, verify } = await registered()
    assert.equal(await verify(authenticator.get(request, { type: 'webauthn.create' })), undefined)
    assert.equal(await verifyNew(new Authenticator().create(creation, { type: 'webauthn.get' })), undefined)
  })
})

describe('an attestation', () => {
  /** The same passkey with another attestation. */
  function attestedBy(format: string, statement: Buffer): NewPasskey {
    const response = new Authenticator().create(creation)
    const bytes = Buffer.from(response.response.attestationObject, 'base64url')
    const marker = Buffer.concat([cborText('authData'), Buffer.from([0x58])])
    const data = bytes.subarray(bytes.indexOf(marker) + marker.length + 1)
    const object = attestationObject(data, format, statement).toString('base64url')
    return { ...response, response: { ...response.response, attestationObject: object } }
  }

  it('with certificates is refused before they are read', async (test) => {
    const requested = test.mock.method(globalThis, 'fetch', () => assert.fail('An address in a certificate was called'))
    const signature: [Buffer, Buffer] = [cborText('sig'), cborBytes(Buffer.alloc(70))]
    const algorithm: [Buffer, Buffer] = [cborText('alg'), cborInt(-7)]
    const certificates: [Buffer, Buffer] = [cborText('x5c'), cborArray([cborBytes(Buffer.alloc(500))])]
    for (const format of ['packed', 'fido-u2f', 'tpm', 'android-key', 'android-safetynet', 'apple', 'unheard-of'])
      assert.equal(await verifyNew(attestedBy(format, cborMap([algorithm, signature, certificates]))), undefined)
    assert.equal(requested.mock.callCount(), 0)
  })

  it('that says "none" carries none', async () => {
    assert.ok(await verifyNew(attestedBy('none', cborMap([]))))
    assert.equal(await verifyNew(attestedBy('none', cborMap([[cborText('x'), cborInt(1)]]))), undefined)
  })

  it('by the passkey itself has to be signed by it', async () => {
    const forged: [Buffer, Buffer][] = [
      [cborText('alg'), cborInt(-7)],
      [cborText('sig'), cborBytes(Buffer.alloc(70, 1))],
    ]
    assert.equal(await verifyNew(attestedBy('packed', cborMap(forged))), undefined)
  })
})

describe('a public key', () => {
  const point = Buffer.alloc(32, 1)
  const keys: Record<string, [number, Buffer][]> = {
    'not on its curve': [
      [1, cborInt(2)],
      [3, cborInt(-7)],
      [-1, cborInt(1)],
      [-2, cborBytes(point)],
      [-3, cborBytes(point)],
    ],
    'of an algorithm that was not offered': [
      [1, cborInt(2)],
      [3, cborInt(-35)],
      [-1, cborInt(2)],
      [-2, cborBytes(Buffer.alloc(48, 1))],
      [-3, cborBytes(Buffer.alloc(48, 1))],
    ],
    'of another kind than its algorithm': [
      [1, cborInt(2)],
      [3, cborInt(-257)],
      [-1, cborInt(1)],
      [-2, cborBytes(point)],
      [-3, cborBytes(point)],
    ],
    'with a short modulus': [
      [1, cborInt(3)],
      [3, cborInt(-257)],
      [-1, cborBytes(Buffer.alloc(128, 0xff))],
      [-2, cborBytes(Buffer.from([1, 0, 1]))],
    ],
    'with a huge modulus': [
      [1, cborInt(3)],
      [3, cborInt(-257)],
      [-1, cborBytes(Buffer.alloc(2048, 0xff))],
      [-2, cborBytes(Buffer.from([1, 0, 1]))],
    ],
    'with the exponent 1': [
      [1, cborInt(3)],
      [3, cborInt(-257)],
      [-1, cborBytes(Buffer.alloc(256, 0xff))],
      [-2, cborBytes(Buffer.from([0, 0, 1]))],
    ],
    'with an endless exponent': [
      [1, cborInt(3)],
      [3, cborInt(-257)],
      [-1, cborBytes(Buffer.alloc(256, 0xff))],
      [-2, cborBytes(Buffer.alloc(256, 0xff))],
    ],
    'without parameters': [
      [1, cborInt(1)],
      [3, cborInt(-8)],
    ],
    'that is empty': [],
  }
  for (const [name, parameters] of Object.entries(keys)) {
    it(`${name} is refused`, async () => {
      const publicKey = cborMap(parameters.map(([label, value]) => [cborInt(label), value]))
      assert.equal(await verifyNew(new Authenticator({ publicKey }).create(creation)), undefined)
    })
  }
})

it('the library is not loaded before the first passkey', async () => {
  const root = path.join(import.meta.dirname, '../../../..')
  // What one of its dependencies adds to a global object.
  const script = `await import('./src/app.ts'); console.log(typeof Reflect.getMetadata);
    await import('@simplewebauthn/server'); console.log(typeof Reflect.getMetadata)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: root })
  assert.equal(stdout, 'undefined\nfunction\n')
})

describe('whatever is sent instead of a credential', () => {
  /** Bytes of a real response with some of them changed, removed or put in, or none of the kind at all. */
  const mutated = (original: string) =>
    fc
      .tuple(fc.nat(), fc.nat(40), fc.uint8Array({ maxLength: 40 }))
      .map(([at, length, bytes]) => {
        const real = Buffer.from(original, 'base64url')
        const position = at % real.length
        return Buffer.concat([real.subarray(0, position), bytes, real.subarray(position + length)])
      })
      .filter((bytes) => bytes.length > 0 && bytes.toString('base64url') !== original)
      .map((bytes) => bytes.toString('base64url'))
  const hostileJson = fc
    .oneof(
      fc.constantFrom('null', '[]', '1', '""', '{"__proto__":{"origin":"https://app.example.com"}}', '\ufeff{}'),
      fc.constant(JSON.stringify({ type: { toString: 1 }, challenge: [], origin: {}, tokenBinding: 'x' })),
      fc.nat(5000).map((depth) => '['.repeat(depth)),
      fc.json(),
    )
    .map((text) => Buffer.from(text || ' ').toString('base64url'))
  const hostileCbor = fc
    .oneof(
      // A list of so many items, a map, a text, bytes, a tag, each in each other, to any depth.
      fc
        .tuple(fc.constantFrom(0x81, 0xa1, 0xc1, 0x9f, 0x82), fc.nat(11_000))
        .map(([byte, depth]) => Buffer.alloc(depth + 1, byte)),
      fc.constantFrom(
        '9b7fffffffffffffff',
        'bb7fffffffffffffff',
        '5b7fffffffffffffff',
        '7bffffffffffffffff',
        'ff',
        'f97c00',
      ),
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
    )
    .map((value) => (typeof value === 'string' ? Buffer.from(value, 'hex') : Buffer.from(value)).toString('base64url'))

  it('is refused without an error', async () => {
    const { authenticator, verify } = await registered()
    const created = new Authenticator().create(creation)
    const assertion = authenticator.get(request)
    const isRefused = async (kind: 'created' | 'assertion', field: string, value: string) => {
      const original = kind === 'created' ? created : assertion
      const response = { ...original, response: { ...original.response, [field]: value } }
      const schema = kind === 'created' ? NewPasskey : PasskeyAssertion
      if (!schema.safeParse(response).success) return
      const result = kind === 'created' ? verifyNew(response as NewPasskey) : verify(response as PasskeyAssertion)
      assert.equal(await result, undefined)
    }
    const cases = fc.oneof(
      hostileJson.map((value) => ['assertion', 'clientDataJSON', value] as const),
      hostileJson.map((value) => ['created', 'clientDataJSON', value] as const),
      hostileCbor.map((value) => ['created', 'attestationObject', value] as const),
      hostileCbor.map((value) => ['assertion', 'authenticatorData', value] as const),
      mutated(assertion.response.clientDataJSON).map((value) => ['assertion', 'clientDataJSON', value] as const),
      mutated(assertion.response.authenticatorData).map((value) => ['assertion', 'authenticatorData', value] as const),
      mutated(assertion.response.signature).map((value) => ['assertion', 'signature', value] as const),
    )
    await fc.assert(
      fc.asyncProperty(cases, ([kind, field, value]) => isRefused(kind, field, value)),
      { numRuns: 3000 },
    )
  })

  it('as a new passkey is refused, or one that is sound', async () => {
    const created = new Authenticator().create(creation)
    await fc.assert(
      fc.asyncProperty(mutated(created.response.attestationObject), async (attestationObject) => {
        const passkey = await verifyNew({ ...created, response: { ...created.response, attestationObject } })
        if (passkey) assert.equal(passkey.credentialId.toString('base64url'), created.id)
      }),
      { numRuns: 1000 },
    )
  })
})
