import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'

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

/** CORS. The API uses no cookies, so a page of another origin can't act for a person who is signed in. */
export async function allowOrigins(app: FastifyInstance, { corsOrigins }: Config): Promise<void> {
  await app.register(cors, {
    origin: corsOrigins === 'loopback' ? LOOPBACK : corsOrigins,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS.join(', '),
    maxAge: 600,
    strictPreflight: false,
  })
}
