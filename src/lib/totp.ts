import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { fromBase32, STANDARD, toBase32 } from './base32.ts'

// Time-based codes as every authenticator app makes them (RFC 6238): SHA-1, 6 digits, 30 seconds. Their own code, because it is
// this short and because the step of a code, which says whether it was used before, is what libraries hide.

const STEP_MS = 30_000
const DIGITS = 6
const SECRET_BYTES = 20
/** The step of now first; a clock may be a step behind or ahead. */
const WINDOW = [0, -1, 1]

/** 160 random bits in base32, as people type them where they can't scan. */
export const createTotpSecret = (): string => toBase32(randomBytes(SECRET_BYTES), STANDARD)

export const totpStepAt = (time: number): number => Math.floor(time / STEP_MS)

/** The code of a step (RFC 4226, 5.3). */
export function totpCode(secret: string, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret, STANDARD)).update(counter).digest()
  const offset = (mac.at(-1) as number) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step that the code belongs to, of those that are accepted now. Undefined: none. */
export function findTotpStep(secret: string, code: string, now = Date.now()): number | undefined {
  const steps = WINDOW.map((distance) => totpStepAt(now) + distance)
  // All are compared, so that the time tells nothing.
  const matching = steps.filter((step) => isEqual(totpCode(secret, step), code))
  return matching[0]
}

/** What an app reads from a QR code. Apps end the name of the service at the first colon. */
export function totpUri(secret: string, { service, account }: { service: string; account: string }): string {
  const issued = encodeURIComponent(service.replaceAll(':', ' '))
  const name = `${issued}:${encodeURIComponent(account)}`
  return `otpauth://totp/${name}?secret=${secret}&issuer=${issued}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`
}

function isEqual(code: string, given: string): boolean {
  const [one, other] = [Buffer.from(code), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}
