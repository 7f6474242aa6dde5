import net from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Brand } from '../../../brand/brand.ts'
import type { BasicCheck } from '../../../http/basic.ts'
import { forwardingHeaderIn } from '../../../http/forwarding.ts'
import { validatorCompiler } from '../../../http/schemas.ts'
import { isUuid } from '../../../lib/ids.ts'
import { DEFAULT_LANGUAGE, languages } from '../../../lib/languages.ts'
import { isLoopback } from '../../../lib/proxies.ts'
import { problem } from '../../../problems.ts'
import type { Mailbox, MailboxLetter } from './mailbox.ts'
import { emailPage, listPage, mailboxPolicy } from './mailbox-pages.ts'
import { previewListPage, previewPage, widths } from './preview-pages.ts'
import { openPreview } from './samples.ts'

export interface MailboxAccess {
  mailbox: Mailbox
  brand: Brand
  /** Lets in who may read the letters from elsewhere; undefined: nobody. */
  checkReader: BasicCheck | undefined
}

const Filter = z.object({ to: z.string().max(254, 'must have at most 254 characters').optional() })

const View = z.object({ language: z.enum(languages).default(DEFAULT_LANGUAGE), width: z.enum(widths).default('wide') })

/** The pages of the development mailbox. Never for production: letters open accounts. */
export async function serveMailbox(
  app: FastifyInstance,
  { mailbox, brand, checkReader }: MailboxAccess,
): Promise<void> {
  const policy = mailboxPolicy(brand)
  await app.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => {
      if (isReachedLocallyOnly(app) && isOfThisMachine(request)) return
      if (!checkReader) throw problem('route_not_found')
      checkReader(request, reply)
    })

    pages.get('/dev/mail', async (_request, reply) => {
      return page(reply, policy, listPage(brand, await mailbox.list()))
    })

    pages.get<{ Params: { id: string } }>(
      '/dev/mail/:id',
      { schema: { hide: true } as object },
      async ({ params }, reply) => {
        return page(reply, policy, emailPage(brand, await findLetter(mailbox, params.id)))
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

/** Every kind of letter in every language, with made-up facts. */
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
      return page(reply, policy, previewPage(brand, preview.letter(params.kind, query.language), query))
    },
  )
}

function page(reply: FastifyReply, policy: string, source: string): string {
  reply.type('text/html; charset=utf-8').header('content-security-policy', policy)
  return source
}

async function findLetter(mailbox: Mailbox, id: string): Promise<MailboxLetter> {
  const letter = isUuid(id) ? await mailbox.find(id) : undefined
  if (!letter) throw problem('route_not_found')
  return letter
}

/** Who listens to the network may stand behind a proxy of this machine that tells nothing of it. */
export const isReachedLocallyOnly = (app: FastifyInstance) =>
  app.addresses().every((at) => typeof at === 'object' && isLoopback(at.address))

/**
 * Asked by somebody at this machine: not through a proxy that runs here too, as far as it adds a header to what it passes
 * on, nor by a page of a foreign site whose name was made to lead here (DNS rebinding), which shows in the header Host.
 */
function isOfThisMachine({ socket, headers }: FastifyRequest): boolean {
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    forwardingHeaderIn(headers) === undefined &&
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
