import { createVerifier, Problem, type VerifiedToken } from '@tenantry/client/server'
import fastify from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    caller: VerifiedToken
  }
}

/** `issuer` is APP_URL of the service. */
export function createApp(issuer: string) {
  const verify = createVerifier({ issuer })
  const app = fastify()

  app.addHook('onRequest', async (request) => {
    request.caller = await verify(request.headers.authorization)
  })

  app.get('/notes', async ({ caller }) => ({ notes: [`The first note of ${caller.accountId}`] }))

  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof Problem)) throw error
    return reply.status(error.status).send({ code: error.code, message: error.message })
  })
  return app
}
