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
  return net.isIPv4(plain) ? `${plain}/32` : ipv6Network(plain, 4)
}

/**
 * What gets one share of something scarce: an IPv4 /24 or an IPv6 /48, which is about what one customer of a provider can
 * hold. Wider than what a limit counts, because whoever shares it is only delayed by the others.
 */
export function shareOf(address: string): string {
  const plain = plainAddress(address)
  return net.isIPv4(plain) ? `${plain.split('.').slice(0, 3).join('.')}.0/24` : ipv6Network(plain, 3)
}

function ipv6Network(address: string, groupCount: number): string {
  const groups = expand(address).slice(0, groupCount)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/${groupCount * 16}`
}

/** The eight groups of an IPv6 address. */
function expand(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail === undefined || tail === '' ? [] : tail.split(':')
  return tail === undefined ? start : [...start, ...Array(Math.max(0, 8 - start.length - end.length)).fill('0'), ...end]
}
