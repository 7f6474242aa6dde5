import net from 'node:net'
import { z } from 'zod'

/** An address or a network, as a list of allowed networks names it. */
interface Network {
  family: 4 | 6
  /** The first address. */
  start: bigint
  /** The length of the prefix. */
  bits: number
}

const SIZE = { 4: 32, 6: 128 } as const
const MAPPED = 0xffffn << 32n
const TEXT_LENGTH_MAX = 64

const malformed = 'must be an address or a network in CIDR notation, such as 203.0.113.0/24'

/**
 * An IPv4 or IPv6 network in CIDR notation; a plain address is a network of one. IPv4 addresses in IPv6 notation become IPv4, as
 * those of requests do. Not all addresses at once, which would look like a limit and be none.
 */
export const NetworkText = z
  .string()
  .max(TEXT_LENGTH_MAX, malformed)
  .transform((text) => text.trim().toLowerCase())
  .refine((text) => parse(text) !== undefined, malformed)
  .refine((text) => parse(text)?.bits !== 0, 'would admit every address')
  .refine(
    (text) => !hasHostBits(parse(text)),
    'has digits behind its prefix: is a single address meant, or its network?',
  )
  .transform((text) => textOf(parse(text) as Network))
  .meta({
    maxLength: TEXT_LENGTH_MAX,
    pattern: '^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$',
    rules: 'An IPv4 or IPv6 address, or a network in CIDR notation; not /0.',
  })

/** Without those that lie in another one of the list, in order. */
export function withoutContained(texts: readonly string[]): string[] {
  const unique = [...new Set(texts)]
  return unique.filter((text) => !unique.some((other) => other !== text && contains(other, text))).sort()
}

/** Whether every address of a network is in the other one. Both as NetworkText gives them. */
export function contains(outer: string, inner: string): boolean {
  const [wide, narrow] = [parse(outer), parse(inner)]
  if (!wide || !narrow || wide.family !== narrow.family || wide.bits > narrow.bits) return false
  const rest = BigInt(SIZE[wide.family] - wide.bits)
  return wide.start >> rest === narrow.start >> rest
}

/** Undefined: it is neither an address nor a network. */
function parse(text: string): Network | undefined {
  const [address = '', prefix, ...more] = text.split('/')
  const family = net.isIPv4(address) ? 4 : net.isIPv6(address) && !address.includes('%') ? 6 : undefined
  if (!family || more.length > 0 || (prefix !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefix))) return undefined
  const bits = prefix === undefined ? SIZE[family] : Number(prefix)
  if (bits > SIZE[family]) return undefined
  const start = family === 4 ? valueOfIPv4(address) : valueOfIPv6(address)
  const isMapped = family === 6 && bits >= 96 && start >> 32n === MAPPED >> 32n
  return isMapped ? { family: 4, start: start & 0xffff_ffffn, bits: bits - 96 } : { family, start, bits }
}

const valueOfIPv4 = (address: string) => address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)

/** The parser of URLs writes every spelling in one: hexadecimal groups, the longest run of zeros left out. */
function valueOfIPv6(address: string): bigint {
  const { hostname } = new URL(`http://[${address}]`)
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const [start, end] = [groups(head), groups(tail ?? '')]
  const zeros = Array<string>(8 - start.length - end.length).fill('0')
  return [...start, ...zeros, ...end].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

const groups = (text: string) => (text === '' ? [] : text.split(':'))

function hasHostBits(network: Network | undefined): boolean {
  if (!network) return false
  const rest = BigInt(SIZE[network.family] - network.bits)
  return (network.start >> rest) << rest !== network.start
}

/** As PostgreSQL writes it. */
function textOf({ family, start, bits }: Network): string {
  if (family === 4) return `${[24n, 16n, 8n, 0n].map((shift) => (start >> shift) & 255n).join('.')}/${bits}`
  const all = Array.from({ length: 8 }, (_, index) => ((start >> BigInt(112 - 16 * index)) & 0xffffn).toString(16))
  return `${new URL(`http://[${all.join(':')}]`).hostname.slice(1, -1)}/${bits}`
}
