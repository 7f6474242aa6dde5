import { createHash, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '../problems.ts'

export interface DocumentationReader {
  user: string
  password: string
}

/** The interactive page at `/api/docs` and the document at `/api/docs-json`, for whoever has the user and password. */
export async function serveDocumentation(
  app: FastifyInstance,
  document: object,
  reader: DocumentationReader,
): Promise<void> {
  app.get('/', async (_request, reply) => reply.redirect('/api/docs'))
  await app.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => requireBasic(request, reply, reader))
    await pages.register(swagger, { mode: 'static', specification: { document: document as never } })
    await pages.register(swaggerUi, {
      routePrefix: '/api/docs',
      theme: { title: 'Tenantry API', js: [await asset('page.js')], css: [await asset('page.css')] },
      uiConfig,
      staticCSP:
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    })
    pages.get('/api/docs-json', { schema: { hide: true } }, async () => document)
  })
}

const uiConfig = {
  // The basic layout has no bar of another project's making.
  layout: 'BaseLayout',
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // Operations show their schemas; a list of all of them below helps nobody.
  defaultModelsExpandDepth: -1,
}

async function asset(filename: string): Promise<{ filename: string; content: string }> {
  return { filename, content: await readFile(path.join(import.meta.dirname, 'documentation', filename), 'utf8') }
}

/** HTTP Basic authentication, RFC 7617; the comparison takes the same time wherever the first difference is. */
export function requireBasic(request: FastifyRequest, reply: FastifyReply, reader: DocumentationReader): void {
  const given = Buffer.from(/^basic +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '', 'base64').toString()
  if (timingSafeEqual(digest(given), digest(`${reader.user}:${reader.password}`))) return
  reply.header('www-authenticate', 'Basic realm="Tenantry", charset="UTF-8"')
  throw problem('documentation_credentials_wrong')
}

const digest = (text: string) => createHash('sha256').update(text).digest()
