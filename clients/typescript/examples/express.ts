import { createVerifier, Problem, type VerifiedToken } from '@tenantry/client/server'
import express, { type NextFunction, type Request, type Response } from 'express'

// An API of your own for people who are signed in to Tenantry: they send the same access token.

/** `issuer` is APP_URL of the service. */
export function createApp(issuer: string) {
  const verify = createVerifier({ issuer })
  const app = express()

  app.use(async (request: Request, response: Response, next: NextFunction) => {
    response.locals.caller = await verify(request.headers.authorization)
    next()
  })

  app.get('/notes', (_request: Request, response: Response) => {
    const { accountId } = response.locals.caller as VerifiedToken
    response.json({ notes: [`The first note of ${accountId}`] })
  })

  app.use((error: unknown, _request: Request, response: Response, next: NextFunction) => {
    if (!(error instanceof Problem)) return next(error)
    response.status(error.status).json({ code: error.code, message: error.message })
  })
  return app
}
