import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const ASSETS = join(import.meta.dirname, 'assets')

const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
}

/** The pages that the links in letters lead to. They change nothing by themselves: their scripts call the API. */
export async function servePages(app: FastifyInstance): Promise<void> {
  await servePage(app, '/verify-email', 'verify-email.html')
  await servePage(app, '/reset-password', 'reset-password.html')
  await serveAssets(app)
}

async function servePage(app: FastifyInstance, path: string, file: string): Promise<void> {
  const html = await readFile(join(ASSETS, file), 'utf8')
  app.get(path, async (_request, reply) => {
    reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8')
    return html
  })
}

/** One route for each file that is there at the start: no other path is ever looked up on the disk. */
async function serveAssets(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: ASSETS,
    prefix: '/pages/',
    wildcard: false,
    // Without the headers above, which only the two addresses send, a page is not to be had.
    globIgnore: ['**/*.html'],
    cacheControl: false,
    setHeaders: (reply) => reply.header('cache-control', 'no-cache'),
    // The documentation brings this plugin too, and a reply can be decorated only once.
    decorateReply: false,
  })
}
