import net from 'node:net'

/** An address in one spelling: an IPv4 address that came through an IPv6 socket is written as IPv4. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  return mapped?.[1] ?? (address.split('%')[0] as string)
}

/**
 * What one subscriber holds and one limit counts: an IPv4 address, or an IPv6 /64, in which a single host may
 * choose its address freely. In CIDR notation.
 */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  if (net.isIPv4(plain)) return `${plain}/32`
  const groups = expand(plain).slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** The eight groups of an IPv6 address. */
function expand(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail === undefined || tail === '' ? [] : tail.split(':')
  return tail === undefined ? start : [...start, ...Array(Math.max(0, 8 - start.length - end.length)).fill('0'), ...end]
}
