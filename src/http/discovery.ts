import type { FastifyInstance } from 'fastify'
import type { Keys } from '../lib/keys.ts'

const CACHE_SECONDS = 300

/**
 * How other services verify access tokens themselves: the public keys (RFC 7517), and the metadata that names the issuer
 * and them (RFC 8414). No grant type of OAuth is served, so both lists are empty.
 */
export function serveDiscovery(app: FastifyInstance, { accepted, access }: Keys): void {
  const metadata = {
    issuer: access.iss,
    jwks_uri: `${access.iss}/.well-known/jwks.json`,
    response_types_supported: [],
    grant_types_supported: [],
  }
  const documents = {
    '/.well-known/jwks.json': { keys: accepted.map(({ jwk }) => jwk) },
    [metadataPath(access.iss)]: metadata,
  }
  for (const [path, document] of Object.entries(documents))
    app.get(path, async (_request, reply) => {
      reply.header('cache-control', `public, max-age=${CACHE_SECONDS}`)
      return document
    })
}

/** RFC 8414, 3.1: the path of the issuer stands behind the well-known one. */
function metadataPath(issuer: string): string {
  const { pathname } = new URL(issuer)
  return `/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`
}
