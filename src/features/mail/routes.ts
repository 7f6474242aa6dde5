import net from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type DocumentationReader, requireBasic } from '../../http/documentation.ts'
import { validatorCompiler } from '../../http/schemas.ts'
import { isUuid } from '../../lib/ids.ts'
import { ELSE, languages } from '../../lib/languages.ts'
import { plainAddress } from '../../lib/networks.ts'
import { problem } from '../../problems.ts'
import type { Mailbox, MailboxLetter } from './mailbox.ts'
import { letterPage, listPage, MAILBOX_POLICY } from './mailbox-pages.ts'
import { previewListPage, previewPage, widths } from './preview-pages.ts'
import { openPreview, type Preview } from './samples.ts'

export interface MailboxAccess {
  mailbox: Mailbox
  /** Who may read the letters from elsewhere; undefined: nobody. */
  reader: DocumentationReader | undefined
}

const Filter = z.object({ to: z.string().max(254, 'must have at most 254 characters').optional() })

const View = z.object({ language: z.enum(languages).default(ELSE), width: z.enum(widths).default('wide') })

/** The pages of the development mailbox. Never for production: letters open accounts. */
export async function serveMailbox(app: FastifyInstance, { mailbox, reader }: MailboxAccess): Promise<void> {
  await app.register(async (pages) => {
    pages.addHook('onRequest', async (request, reply) => admit(request, reply, reader))

    pages.get('/dev/mail', async (_request, reply) => {
      return page(reply, listPage(await mailbox.list()))
    })

    pages.get<{ Params: { id: string } }>(
      '/dev/mail/:id',
      { schema: { hide: true } as object },
      async ({ params }, reply) => {
        return page(reply, letterPage(await findLetter(mailbox, params.id)))
      },
    )

    pages.get<{ Querystring: z.output<typeof Filter> }>(
      '/dev/mail.json',
      { schema: { querystring: Filter }, validatorCompiler },
      async ({ query }) => mailbox.list(query.to),
    )
    servePreview(pages, openPreview())
  })
}

/** Every kind of letter in every language, with made-up facts. */
function servePreview(pages: FastifyInstance, preview: Preview): void {
  pages.get('/dev/mail/preview', async (_request, reply) => page(reply, previewListPage(preview)))

  pages.get<{ Params: { kind: string }; Querystring: z.output<typeof View> }>(
    '/dev/mail/preview/:kind',
    {
      schema: { hide: true, querystring: View } as object,
      validatorCompiler,
    },
    async ({ params, query }, reply) => {
      if (!preview.has(params.kind)) throw problem('route_not_found')
      return page(reply, previewPage(preview.letter(params.kind, query.language), query))
    },
  )
}

function page(reply: FastifyReply, source: string): string {
  reply.type('text/html; charset=utf-8').header('content-security-policy', MAILBOX_POLICY)
  return source
}

async function findLetter(mailbox: Mailbox, id: string): Promise<MailboxLetter> {
  const letter = isUuid(id) ? await mailbox.find(id) : undefined
  if (!letter) throw problem('route_not_found')
  return letter
}

function admit(request: FastifyRequest, reply: FastifyReply, reader: DocumentationReader | undefined): void {
  if (isOfThisMachine(request)) return
  if (!reader) throw problem('route_not_found')
  requireBasic(request, reply, reader)
}

const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/**
 * Asked by somebody at this machine: not through a proxy that runs here too, nor by a page of a foreign site whose name
 * was made to lead here (DNS rebinding), which shows in the header Host.
 */
function isOfThisMachine({ socket, headers }: FastifyRequest): boolean {
  const address = plainAddress(socket.remoteAddress ?? '')
  return isLoopback(address) && !FORWARDING.some((name) => name in headers) && isLocalName(headers.host ?? '')
}

const isLoopback = (address: string) => address === '::1' || (net.isIPv4(address) && address.startsWith('127.'))

function isLocalName(host: string): boolean {
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase()
  return (
    /^(?:[a-z0-9-]+\.)*localhost$/.test(name) ||
    net.isIPv4(name) ||
    (/^\[.*\]$/.test(name) && net.isIPv6(name.slice(1, -1)))
  )
}
