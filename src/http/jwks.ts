import type { FastifyInstance } from 'fastify'
import type { Keys } from '../lib/keys.ts'

const CACHE_SECONDS = 300

/** The public keys (RFC 7517) by which other services verify access tokens themselves. */
export function servePublicKeys(app: FastifyInstance, keys: Keys): void {
  const document = { keys: keys.accepted.map(({ jwk }) => jwk) }
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    reply.header('cache-control', `public, max-age=${CACHE_SECONDS}`)
    return document
  })
}
