import { z } from 'zod'

/** A passkey that a browser may use, or may not make again. */
export const PasskeyDescriptor = z.object({
  type: z.literal('public-key'),
  id: z.string(),
  transports: z.array(z.string()),
})

/** For `PublicKeyCredential.parseRequestOptionsFromJSON()`. */
export const PasskeyRequestOptions = z
  .object({
    challenge: z.string(),
    rpId: z.string(),
    timeout: z.int().describe('Milliseconds.'),
    allowCredentials: z.array(PasskeyDescriptor).describe('Empty: any passkey of this service, chosen by its user.'),
    userVerification: z.literal('required'),
  })
  .meta({ id: 'PasskeyRequestOptions' })
export type PasskeyRequestOptions = z.output<typeof PasskeyRequestOptions>
