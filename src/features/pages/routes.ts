import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Brand } from '../../brand/brand.ts'
import { themeCss } from '../../brand/theme.ts'
import { documentOf, type Page } from './document.ts'
import {
  cancelFactorResetPage,
  type Destinations,
  homePage,
  invitationPage,
  resetPasswordPage,
  undoEmailChangePage,
  undoFactorChangePage,
  verifyEmailPage,
} from './pages.ts'

const ASSETS = join(import.meta.dirname, 'assets')

const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
}

/** An SVG is a document when it is opened by itself: this one loads nothing and runs nothing. */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

/** The pages that the links in emails lead to. They change nothing by themselves: their scripts call the API. */
export async function servePages(app: FastifyInstance, brand: Brand, destinations: Destinations): Promise<void> {
  servePage(app, brand, '/', homePage(destinations))
  servePage(app, brand, '/verify-email', verifyEmailPage(destinations))
  servePage(app, brand, '/reset-password', resetPasswordPage(destinations))
  servePage(app, brand, '/undo-email-change', undoEmailChangePage())
  servePage(app, brand, '/invitation', invitationPage(destinations))
  serveBrand(app, brand)
  await serveFactorPages(app, brand)
}

/** Also beside the console, which has no pages of its own for them. */
export async function serveFactorPages(app: FastifyInstance, brand: Brand): Promise<void> {
  servePage(app, brand, '/undo-factor-change', undoFactorChangePage())
  servePage(app, brand, '/cancel-factor-reset', cancelFactorResetPage())
  await serveAssets(app)
}

function servePage(app: FastifyInstance, brand: Brand, path: string, page: Page): void {
  const source = documentOf(brand, page)
  app.get(path, async (_request, reply) => {
    reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8')
    return source
  })
}

/** Its colors and its logo, for these pages, the console and the development mailbox. */
export function serveBrand(app: FastifyInstance, { logo, theme }: Brand): void {
  const css = themeCss(theme)
  app.get('/pages/theme.css', async (_request, reply) => {
    reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8')
    return css
  })
  app.get(`/pages/${logo.file}`, async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-cache', 'content-security-policy': LOGO_POLICY }).type(logo.type)
    return logo.content
  })
}

/** One route for each file that is there at the start: no other path is ever looked up on the disk. */
async function serveAssets(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: ASSETS,
    prefix: '/pages/',
    wildcard: false,
    cacheControl: false,
    setHeaders: (reply) => reply.header('cache-control', 'no-cache'),
    // The documentation brings this plugin too, and a reply can be decorated only once.
    decorateReply: false,
  })
}
