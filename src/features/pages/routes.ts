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

/** What the page at `/` may lead to: only what is served beside it, and never in production. */
interface ForDevelopers {
  documentation: boolean
  /** Counts only with the documentation, whose password opens the mailbox to all who are not at this machine. */
  mailbox: boolean
}

/** The pages that the links in emails lead to. They change nothing by themselves: their scripts call the API. */
export async function servePages(app: FastifyInstance, served: ForDevelopers): Promise<void> {
  servePage(app, '/', homeFor(served, await read('home.html')))
  servePage(app, '/verify-email', await read('verify-email.html'))
  servePage(app, '/reset-password', await read('reset-password.html'))
  await serveAssets(app)
}

const read = (file: string) => readFile(join(ASSETS, file), 'utf8')

function homeFor({ documentation, mailbox }: ForDevelopers, html: string): string {
  if (!documentation) return without('documentation', html)
  return mailbox ? html : without('mailbox', html)
}

/** The parts of a page that are not always there stand between two comments. */
const without = (part: string, html: string) =>
  html.replace(new RegExp(`\\s*<!-- ${part} -->.*<!-- end of ${part} -->`, 's'), '')

function servePage(app: FastifyInstance, path: string, html: string): void {
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
