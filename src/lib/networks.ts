import net from 'node:net'

/**
 * An address in one spelling: an IPv4 address from an IPv6 socket becomes IPv4, as proxies write it: `::ffff:192.0.2.1`,
 * `::ffff:c000:201` or with all zeros. A zone is dropped.
 */
export function plainAddress(address: string): string {
  if (!/[:%]/.test(address)) return address
  const [plain] = address.split('%') as [string]
  const mapped = /^(?:::|(?:0{1,4}:){5})ffff:(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/i.exec(plain)
  if (!mapped) return plain
  const [, dotted, high = '', low = ''] = mapped
  return dotted ?? [high, low].flatMap(bytesOf).join('.')
}

/** Of a group of four hexadecimal digits. */
function bytesOf(group: string): [number, number] {
  const value = Number.parseInt(group, 16)
  return [value >> 8, value & 255]
}

/**
 * The network that rate limits count as one client, in CIDR notation: an IPv4 address, or an IPv6 /64, in which a
 * single host can choose its address freely.
 */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  return net.isIPv4(plain) ? `${plain}/32` : ipv6Network(plain, 4)
}

/**
 * The network that gets one fair share of a scarce resource, in CIDR notation: an IPv4 /24 or an IPv6 /48, about what
 * one customer of a provider can have. Wider than `networkOf`, because clients in the same share only delay each other.
 */
export function shareOf(address: string): string {
  const plain = plainAddress(address)
  return net.isIPv4(plain) ? `${plain.split('.').slice(0, 3).join('.')}.0/24` : ipv6Network(plain, 3)
}

/** Of a client whose address can't be told. No account knows it: all clients of the same proxy would be in it. */
export const UNKNOWN_NETWORK = '::/128'

/** The first address of a network in CIDR notation. */
export const addressOf = (network: string) => network.slice(0, network.indexOf('/'))

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
