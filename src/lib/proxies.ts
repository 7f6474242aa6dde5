import net from 'node:net'
import { plainAddress } from './networks.ts'

/** Names that TRUST_PROXY accepts beside addresses and networks. */
const RANGES: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Returns a test of whether an address belongs to a list of addresses, networks (CIDR) and names of ranges. */
export function addressesIn(list: readonly string[]): (address: string) => boolean {
  const known = new net.BlockList()
  for (const item of list.flatMap((name) => RANGES[name] ?? [name])) {
    const [text = '', bits = net.isIPv6(text) ? 128 : 32] = item.split('/')
    const address = plainAddress(text)
    const isMapped = net.isIPv6(text) && net.isIPv4(address)
    known.addSubnet(address, Number(bits) - (isMapped ? 96 : 0), net.isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return (address) => {
    const plain = plainAddress(address)
    if (net.isIP(plain) === 0) return false
    return known.check(plain, net.isIPv6(plain) ? 'ipv6' : 'ipv4')
  }
}

export const isLoopback = addressesIn(['loopback'])
