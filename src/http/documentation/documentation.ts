import { readFile } from 'node:fs/promises'
import path from 'node:path'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { Brand } from '../../brand/brand.ts'
import { themeCss } from '../../brand/theme.ts'
import type { BasicCheck } from '../basic.ts'

/** The interactive page at `/api/docs` and the document at `/api/docs-json`, for those who have the user and password. */
export async function serveDocumentation(
  app: FastifyInstance,
  document: object,
  brand: Brand,
  checkCredentials: BasicCheck,
): Promise<void> {
  await app.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => checkCredentials(request, reply))
    await pages.register(swagger, { mode: 'static', specification: { document: document as never } })
    await pages.register(swaggerUi, {
      routePrefix: '/api/docs',
      theme: {
        title: `${brand.name} API`,
        js: [await asset('layout.js'), await asset('page.js')],
        css: [{ filename: 'theme.css', content: themeCss(brand.theme) }, await asset('page.css')],
        favicon: [iconOf(brand)],
      },
      uiConfig,
      staticCSP:
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    })
    pages.get('/api/docs-json', { schema: { hide: true } }, async () => document)
  })
}

const uiConfig = {
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // Operations show their schemas; a list of all of them below adds nothing.
  defaultModelsExpandDepth: -1,
}

const iconOf = ({ logo }: Brand) => ({
  filename: logo.file,
  rel: 'icon',
  type: logo.type,
  sizes: 'any',
  content: logo.content,
})

async function asset(filename: string): Promise<{ filename: string; content: string }> {
  return { filename, content: await readFile(path.join(import.meta.dirname, filename), 'utf8') }
}
