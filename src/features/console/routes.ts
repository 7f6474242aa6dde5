import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { switchableThemeCss } from '../../brand/theme.ts'
import { problem } from '../../problems.ts'
import type { ConsoleBuild } from './build.ts'
import { type ConsoleFacts, consoleDocument } from './document.ts'
import { CONSOLE_PATHS, routeOf } from './paths.ts'

/** Scripts and styles of this service alone, none of them inline, and no string becomes code or markup. */
export const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'"

const DOCUMENT_HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': CONSOLE_POLICY,
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  vary: 'Accept',
}

/** Not counted against the limits of requests. */
const STATIC = { config: { isStatic: true } }

/** The console at its addresses, and the files that it loads. It is a client of the API and has no rights of its own. */
export async function serveConsole(app: FastifyInstance, build: ConsoleBuild, facts: ConsoleFacts): Promise<void> {
  serveDocument(app, consoleDocument(build.document, facts))
  serveText(app, '/console/theme.css', 'text/css', switchableThemeCss(facts.brand.theme))
  serveText(app, '/console/scheme.js', 'text/javascript', build.scheme)
  await serveAssets(app, build.assets)
}

function serveDocument(app: FastifyInstance, source: string): void {
  const etag = tagOf(source)
  for (const path of CONSOLE_PATHS)
    app.get(routeOf(path), STATIC, async (request, reply) => {
      if (!acceptsHtml(request)) throw problem('route_not_found')
      reply.headers({ ...DOCUMENT_HEADERS, etag })
      if (request.headers['if-none-match'] !== etag) return source
      reply.code(304)
      return ''
    })
}

function serveText(app: FastifyInstance, path: string, type: string, text: string): void {
  const etag = tagOf(text)
  app.get(path, STATIC, async (request, reply) => {
    reply.headers({ 'cache-control': 'no-cache', 'content-type': `${type}; charset=utf-8`, etag })
    if (request.headers['if-none-match'] !== etag) return text
    reply.code(304)
    return ''
  })
}

/**
 * One route for all files, of which only those are served that are there at the start: no other path is ever looked up on the
 * disk. A route for each of some hundred files would take a seventh of the time and of the memory of a start.
 */
async function serveAssets(app: FastifyInstance, root: string): Promise<void> {
  const names = new Set(readdirSync(root).filter((name) => !COMPRESSED.test(name)))
  await app.register(async (assets) => {
    assets.addHook('onRequest', (request, _reply, done) => {
      const { '*': name = '' } = request.params as Record<string, string>
      done(names.has(name) ? undefined : problem('route_not_found'))
    })
    await assets.register(fastifyStatic, {
      root,
      prefix: '/console/assets/',
      preCompressed: true,
      immutable: true,
      maxAge: '365d',
      // The documentation brings this plugin too, and a reply can be decorated only once.
      decorateReply: false,
    })
  })
}

/** Sent in the place of the file without this ending, to browsers that can read it. */
const COMPRESSED = /\.(br|gz)$/

const tagOf = (text: string) => `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`

/** Programs that ask for JSON get the answer of an unknown address, also those that would take anything else instead. */
function acceptsHtml({ headers: { accept = '*/*' } }: FastifyRequest): boolean {
  if (/text\/html/i.test(accept)) return true
  return /text\/\*|\*\/\*/.test(accept) && !/\bjson\b/i.test(accept)
}
