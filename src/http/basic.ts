import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GuessLimit } from '../lib/guess-limit.ts'
import { shareOf } from '../lib/networks.ts'
import { problem } from '../problems.ts'
import { addressOf } from './request-info.ts'

/** Who may read the documentation, and in development the mailbox from elsewhere. */
export interface DocumentationReader {
  user: string
  password: string
}

export type BasicCheck = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * HTTP Basic authentication, RFC 7617. Failures are counted by network, also where the limits are switched off: these
 * pages are outside of them, and a password that a person chose could be guessed.
 */
export function createBasicCheck({ user, password }: DocumentationReader): BasicCheck {
  const guessLimit = new GuessLimit()
  const wanted = digest(`${user}:${password}`)
  return (request, reply) => {
    const network = shareOf(addressOf(request))
    const retryAfterSeconds = guessLimit.secondsLeft(network)
    if (retryAfterSeconds > 0) throw problem('rate_limited', { retryAfterSeconds })
    const credentials = /^basic +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const given = Buffer.from(credentials ?? '', 'base64').toString()
    // The comparison takes the same time wherever the first difference is.
    if (timingSafeEqual(digest(given), wanted)) return
    // A browser asks without a password first.
    if (credentials !== undefined) guessLimit.countFailure(network)
    reply.header('www-authenticate', 'Basic realm="Tenantry", charset="UTF-8"')
    throw problem('documentation_credentials_wrong')
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()
