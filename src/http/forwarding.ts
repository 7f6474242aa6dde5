import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'

/**
 * What proxies, content delivery networks and tunnels add to a request that they pass on. Their own names come first,
 * then those that each of them spells in its own way.
 */
const FORWARDING = [
  /^(x-)?forwarded(-|$)/,
  /^x-original-/,
  /^(via|cdn-loop|max-forwards|proxy-connection|x-real-(ip|port)|x-scheme|x-request-start|x-remote-(ip|addr)|x-host)$/,
  /^(x-)?((true|cluster)-)?(client|proxyuser|originating)-(ip|host)$/,
  /^(cf|cloudfront|fastly|fly|akamai|ngrok|tailscale)-/,
  /^x-(amz|amzn|amz-cf|appengine|arr|azure|akamai|cloud-trace|cluster|envoy|heroku|middleton|nf|ngrok|proxy|varnish|vercel)-/,
  /^x-varnish$/,
]

/** The first header by which the request shows that it came through something else; undefined: there is none. */
export function forwardingHeaderIn(headers: IncomingHttpHeaders): string | undefined {
  return Object.keys(headers).find((name) => FORWARDING.some((pattern) => pattern.test(name)))
}

/** Tells once who sends such headers without being trusted: most likely a proxy that TRUST_PROXY should name. */
export function warnOfUntrustedProxies(app: FastifyInstance, isProxy: (address: string) => boolean): void {
  let warned = false
  app.addHook('onRequest', async ({ headers, socket, log }) => {
    if (warned || isProxy(socket.remoteAddress ?? '')) return
    const header = forwardingHeaderIn(headers)
    if (!header) return
    warned = true
    log.warn(
      { header, ip: socket.remoteAddress },
      'a forwarding header was not believed: when its sender is your proxy, TRUST_PROXY has to name it',
    )
  })
}
