import { z } from 'zod'
import { PasskeyDescriptor } from '../../../lib/passkey-requests.ts'

/** Bytes as browsers write them in JSON. Longer than what is accepted, which is refused like any other wrong credential. */
const bytes = (lengthMax: number) =>
  z
    .string()
    .min(1, 'can’t be blank')
    .max(lengthMax, `must have at most ${lengthMax} characters`)
    .refine((text) => /^[\w-]*$/.test(text), 'must be base64url')
    .meta({ pattern: '^[A-Za-z0-9_\\-]+$' })

const credential = { id: bytes(2048), rawId: bytes(2048), type: z.literal('public-key') }
const Transport = z
  .string()
  .refine((text) => /^[a-z][a-z0-9-]{0,30}$/.test(text), 'must be the name of a transport such as usb or internal')
  .meta({ pattern: '^[a-z][a-z0-9\\-]{0,30}$' })

/** `PublicKeyCredential.toJSON()` after `navigator.credentials.create()`. */
export const NewPasskey = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes(8192),
      attestationObject: bytes(16_384),
      transports: z.array(Transport).max(16).optional(),
    }),
  })
  .meta({ id: 'NewPasskey' })
export type NewPasskey = z.output<typeof NewPasskey>

/** `PublicKeyCredential.toJSON()` after `navigator.credentials.get()`. */
export const PasskeyAssertion = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes(8192),
      authenticatorData: bytes(8192),
      signature: bytes(2048),
      userHandle: bytes(128).nullable().optional(),
    }),
  })
  .meta({ id: 'PasskeyAssertion' })
export type PasskeyAssertion = z.output<typeof PasskeyAssertion>

/** For `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
export const PasskeyCreationOptions = z
  .object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
    timeout: z.int().describe('Milliseconds.'),
    attestation: z.literal('none'),
    excludeCredentials: z.array(PasskeyDescriptor).describe('The passkeys that you have.'),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
  })
  .meta({ id: 'PasskeyCreationOptions' })
export type PasskeyCreationOptions = z.output<typeof PasskeyCreationOptions>
