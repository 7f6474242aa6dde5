import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isAddressUnknown } from './request-info.ts'

/** Headers that proxies, content delivery networks and tunnels add to requests: the common names first, then vendors'. */
const FORWARDING_HEADERS = [
  /^(x-)?forwarded(-|$)/,
  /^x-original-/,
  /^(via|cdn-loop|max-forwards|proxy-connection|x-real-(ip|port)|x-scheme|x-request-start|x-remote-(ip|addr)|x-host)$/,
  /^(x-)?((true|cluster)-)?(client|proxyuser|originating)-(ip|host)$/,
  /^(cf|cloudfront|fastly|fly|akamai|ngrok|tailscale)-/,
  /^x-(amz|amzn|amz-cf|appengine|arr|azure|akamai|cloud-trace|cluster|envoy|heroku|middleton|nf|ngrok|proxy|varnish|vercel)-/,
  /^x-varnish$/,
]

/** The first header that shows that the request was forwarded. */
export function findForwardingHeader(headers: IncomingHttpHeaders): string | undefined {
  for (const name in headers) if (isForwarding(name)) return name
  return undefined
}

const NAMES_REMEMBERED_MAX = 200
const remembered = new Map<string, boolean>()

/** Clients send the same few names again and again. */
function isForwarding(name: string): boolean {
  const known = remembered.get(name)
  if (known !== undefined) return known
  const matches = FORWARDING_HEADERS.some((pattern) => pattern.test(name))
  if (remembered.size < NAMES_REMEMBERED_MAX) remembered.set(name, matches)
  return matches
}

/**
 * Logs once when an address that is not trusted sends such a header: most likely it is a proxy missing in TRUST_PROXY. And once when one
 * that is trusted passes on what is no address.
 */
export function warnOfForwarding(app: FastifyInstance, isProxy: (address: string) => boolean): void {
  let isWarned = false
  let isWarnedOfUnknown = false
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers, socket, log } = request
    if (
      !isWarnedOfUnknown &&
      headers['x-forwarded-for'] &&
      isProxy(socket.remoteAddress ?? '') &&
      isAddressUnknown(request)
    ) {
      isWarnedOfUnknown = true
      log.warn(
        { ip: socket.remoteAddress },
        'a proxy in TRUST_PROXY forwarded what is no address, such as one with a port: its clients count as one, from no known network',
      )
    }
    const header = isWarned ? undefined : findForwardingHeader(headers)
    if (header && !isProxy(socket.remoteAddress ?? '')) {
      isWarned = true
      log.warn(
        { header, ip: socket.remoteAddress },
        'ignored a forwarding header: if the sender is your proxy, add its address to TRUST_PROXY',
      )
    }
    done()
  })
}
