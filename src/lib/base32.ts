/** RFC 4648. */
export const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** Crockford's, without characters that look like others. */
export const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const BITS = 5

/** Without padding. */
export function toBase32(bytes: Buffer, alphabet: string): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => alphabet[Number.parseInt(group.padEnd(BITS, '0'), 2)]).join('')
}

/** Of text that `toBase32` has made with this alphabet. */
export function fromBase32(text: string, alphabet: string): Buffer {
  const bits = Array.from(text, (character) => alphabet.indexOf(character).toString(2).padStart(BITS, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
