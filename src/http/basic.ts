import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { GuessLimit } from '../lib/guess-limit.ts'
import { shareOf } from '../lib/networks.ts'
import { problem } from '../problems.ts'
import { countedAddressOf } from './request-info.ts'

/** The user and password for the documentation, and for the development mailbox from other hosts. */
export interface DocumentationCredentials {
  user: string
  password: string
}

export type BasicCheck = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * HTTP Basic authentication (RFC 7617). Failures are counted for each network, because a password chosen by a person can
 * be guessed and the rate limits neither cover these pages nor are always switched on.
 */
export function createBasicCheck({ user, password }: DocumentationCredentials): BasicCheck {
  const guessLimit = new GuessLimit()
  const expected = digest(`${user}:${password}`)
  return (request, reply) => {
    const network = shareOf(countedAddressOf(request))
    const retryAfterSeconds = guessLimit.secondsLeft(network)
    if (retryAfterSeconds > 0) throw problem('rate_limited', { retryAfterSeconds })
    const credentials = /^basic +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const received = Buffer.from(credentials ?? '', 'base64').toString()
    // The comparison takes the same time wherever the first difference is.
    if (timingSafeEqual(digest(received), expected)) return
    // A browser sends its first request without a password, which is not a failure.
    if (credentials !== undefined) guessLimit.countFailure(network)
    reply.header('www-authenticate', 'Basic realm="Tenantry", charset="UTF-8"')
    throw problem('documentation_credentials_wrong')
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()
