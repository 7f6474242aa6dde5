import net from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Brand } from '../../../brand/brand.ts'
import type { BasicCheck } from '../../../http/basic.ts'
import { findForwardingHeader } from '../../../http/forwarding.ts'
import { validatorCompiler } from '../../../http/schemas.ts'
import { isUuid } from '../../../lib/ids.ts'
import { DEFAULT_LANGUAGE, languages } from '../../../lib/languages.ts'
import { isLoopback } from '../../../lib/proxies.ts'
import { problem } from '../../../problems.ts'
import type { Mailbox, StoredEmail } from './mailbox.ts'
import { emailPage, listPage, mailboxPolicy } from './mailbox-pages.ts'
import { previewListPage, previewPage, widths } from './preview-pages.ts'
import { openPreview } from './preview-variables.ts'

export interface MailboxAccess {
  mailbox: Mailbox
  brand: Brand
  /** Authenticates readers on other machines; undefined: none are allowed. */
  checkCredentials: BasicCheck | undefined
}

const Filter = z.object({ to: z.string().max(254, 'must have at most 254 characters').optional() })

const View = z.object({ language: z.enum(languages).default(DEFAULT_LANGUAGE), width: z.enum(widths).default('wide') })

/** The pages of the development mailbox. Never for production: emails open accounts. */
export async function serveMailbox(
  app: FastifyInstance,
  { mailbox, brand, checkCredentials }: MailboxAccess,
): Promise<void> {
  const policy = mailboxPolicy(brand)
  await app.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => {
      if (isReachedLocallyOnly(app) && isOfThisMachine(request)) return
      if (!checkCredentials) throw problem('route_not_found')
      checkCredentials(request, reply)
    })

    pages.get('/dev/mail', async (_request, reply) => {
      return page(reply, policy, listPage(brand, await mailbox.list()))
    })

    pages.get<{ Params: { id: string } }>(
      '/dev/mail/:id',
      { schema: { hide: true } as object },
      async ({ params }, reply) => {
        return page(reply, policy, emailPage(brand, await getStoredEmail(mailbox, params.id)))
      },
    )

    pages.get<{ Querystring: z.output<typeof Filter> }>(
      '/dev/mail.json',
      { schema: { querystring: Filter }, validatorCompiler },
      async ({ query }) => mailbox.list(query.to),
    )
    servePreview(pages, brand)
  })
}

/** All templates in all languages, with sample data. */
function servePreview(pages: FastifyInstance, brand: Brand): void {
  const preview = openPreview(brand)
  const policy = mailboxPolicy(brand)
  pages.get('/dev/mail/preview', async (_request, reply) => page(reply, policy, previewListPage(brand, preview)))

  pages.get<{ Params: { kind: string }; Querystring: z.output<typeof View> }>(
    '/dev/mail/preview/:kind',
    {
      schema: { hide: true, querystring: View } as object,
      validatorCompiler,
    },
    async ({ params, query }, reply) => {
      if (!preview.has(params.kind)) throw problem('route_not_found')
      return page(reply, policy, previewPage(brand, preview.email(params.kind, query.language), query))
    },
  )
}

function page(reply: FastifyReply, policy: string, source: string): string {
  reply.type('text/html; charset=utf-8').header('content-security-policy', policy)
  return source
}

async function getStoredEmail(mailbox: Mailbox, id: string): Promise<StoredEmail> {
  const email = isUuid(id) ? await mailbox.find(id) : undefined
  if (!email) throw problem('route_not_found')
  return email
}

/** A service that listens to the network may stand behind a proxy on this machine that adds no header. */
export const isReachedLocallyOnly = (app: FastifyInstance) =>
  app.addresses().every((at) => typeof at === 'object' && isLoopback(at.address))

/**
 * Whether a browser on this machine asks: not through a proxy that runs here too, as far as the proxy adds a header, nor
 * for a page of another site whose name resolves to this machine (DNS rebinding), which the header Host shows.
 */
function isOfThisMachine({ socket, headers }: FastifyRequest): boolean {
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    findForwardingHeader(headers) === undefined &&
    isLocalName(headers.host ?? '')
  )
}

function isLocalName(host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase()
  return (
    /^(?:[a-z0-9-]+\.)*localhost$/.test(name) ||
    net.isIPv4(name) ||
    (/^\[.*\]$/.test(name) && net.isIPv6(name.slice(1, -1)))
  )
}
