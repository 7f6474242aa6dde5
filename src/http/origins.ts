import type { AddressInfo } from 'node:net'
import cors from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Config, localUrl } from '../config/config.ts'
import { problem } from '../problems.ts'

const LOOPBACK = /^https?:\/\/((?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/

const EXPOSED_HEADERS = [
  'x-request-id',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'etag',
  'idempotent-replayed',
  'x-permissions-version',
  'content-disposition',
]

/**
 * CORS. Access tokens are in a header that a page of another origin can't send for a person who is signed in. Only the
 * listed origins may send cookies: with a session in a cookie (session-cookie.ts) their pages can refresh tokens.
 */
export async function allowOrigins(app: FastifyInstance, { corsOrigins }: Config): Promise<void> {
  // Added before the plugin's own hook, which ends a preflight. The plugin would send it to every origin.
  app.addHook('onRequest', ({ headers }, reply, done) => {
    if (listed(corsOrigins).includes(headers.origin as string)) reply.header('access-control-allow-credentials', 'true')
    done()
  })
  await app.register(cors, {
    origin: corsOrigins === 'loopback' ? LOOPBACK : corsOrigins,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS.join(', '),
    maxAge: 600,
    strictPreflight: false,
  })
}

/** Not what development allows by itself: any page on this machine. */
const listed = (corsOrigins: Config['corsOrigins']): string[] => (corsOrigins === 'loopback' ? [] : corsOrigins)

/** Browsers keep a cookie only from HTTPS, except without `Secure` from this machine, which is for development. */
export function isServedLocally({ production, ...config }: Config): boolean {
  const { protocol, origin } = ownUrl(config, config.port)
  return !production && protocol === 'http:' && LOOPBACK.test(origin)
}

/**
 * Refuses a request that uses the session cookie unless it comes from a page of the service itself or of a listed origin,
 * compared as browsers write it. Browsers name the origin of every request that is not GET or HEAD.
 */
export function assertSessionOrigin(config: Config, { headers, server }: FastifyRequest): void {
  // With PORT=0 only the server knows its port.
  const { port } = (server.server.address() ?? config) as AddressInfo
  const own = ownUrl(config, port)
  const otherNames = config.production ? [] : ['127.0.0.1', '[::1]']
  const aliases = otherNames.map((name) => `${own.protocol}//${name}${own.port && `:${own.port}`}`)
  const allowed = [own.origin, ...aliases, ...listed(config.corsOrigins)]
  if (!allowed.includes(headers.origin as string)) throw problem('origin_not_allowed')
}

const ownUrl = ({ appUrl, host }: Pick<Config, 'appUrl' | 'host'>, port: number): URL =>
  new URL(appUrl ?? localUrl(host, port))
