import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { ConnectionSlots } from '../lib/connection-slots.ts'
import { shareOf } from '../lib/networks.ts'
import { isLoopback } from '../lib/proxies.ts'
import { Answering } from './connection-progress.ts'

/** Open files that are no connections of callers: database, Redis, mail, log, what Node itself keeps open, and some more. */
const KEPT_FOR_OTHERS = 100
/** More would cost more memory than they are worth, however many files may be open. */
const CONNECTIONS_MAX = 20_000
const WARN_EVERY_MS = 60_000
const LOOK_EVERY_MS = 5000

/** Requests of one connection that wait for their answers. Hardly any client sends a second one before the first answer. */
const PIPELINED_MAX = 16
/** Requests that are read after that, because they came at once, until the connection is cut. */
const IGNORED_MAX = 256

/** How many connections there may be under a limit of open files; Node raises its own to the hard limit at the start. */
export const connectionsFor = (openFilesMax: number) =>
  Math.min(CONNECTIONS_MAX, Math.max(openFilesMax - KEPT_FOR_OTHERS, Math.floor(openFilesMax / 4)))

/** Where the system does not tell, what every system allows. */
const OPEN_FILES_MIN = 1024

export function openFilesMax(): number {
  // Else it would ask the name server for the name of each peer, and wait for it.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as { userLimits?: { open_files?: Record<'soft' | 'hard', unknown> } }
  const { soft, hard } = report.userLimits?.open_files ?? {}
  const known = [soft, hard].map(Number).filter((count) => count > 0)
  return known.length > 0 ? Math.min(...known) : OPEN_FILES_MIN
}

export interface ConnectionBounds {
  max: number
  isProxy(address: string): boolean
  log: Logger
}

/**
 * Keeps connections from shutting others out: each newcomer is let in, and the longest idle one of the largest network is
 * closed instead. Idle is also whoever does not read: see docs/decisions/0018-fair-shares.md. Loopback and trusted proxies
 * stand for many, so no share bounds them.
 */
export function boundConnections(app: FastifyInstance, { max, isProxy, log }: ConnectionBounds): void {
  const { server } = app
  // A newcomer is counted before anything is closed for it.
  server.maxConnections = max + 1
  const slots = new ConnectionSlots<Socket>(max)
  const warn = atMostEvery(WARN_EVERY_MS, () => log.warn({ max }, 'too many connections: closing some'))
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    const share = isLoopback(address) || isProxy(address) ? undefined : shareOf(address)
    const closing = slots.take(socket, share)
    socket.once('close', () => slots.release(socket))
    for (const each of closing) each.destroy()
    if (closing.length > 0) warn()
  })
  const answering = followAnswers(server, slots, boundPipelines(app))
  const looking = setInterval(() => {
    for (const each of answering.values()) each.look()
  }, LOOK_EVERY_MS).unref()
  server.once('close', () => clearInterval(looking))
}

/** A connection is busy from the arrival of a whole request until its answer is made, while the client reads it. */
function followAnswers(server: Server, slots: ConnectionSlots<Socket>, ignored: Ignored): Map<Socket, Answering> {
  const answering = new Map<Socket, Answering>()
  const begin = (socket: Socket, response: ServerResponse) => {
    if (response.closed) return
    const own = answering.get(socket) ?? new Answering(socket, slots)
    answering.set(socket, own)
    own.begin()
    onceMade(response, () => {
      if (own.end()) answering.delete(socket)
    })
  }
  server.on('request', (request, response) => {
    const { socket, headers } = request
    if (ignored.has(request)) return
    // Who takes long over a body is as idle as who asks nothing.
    const hasBody = Number(headers['content-length']) > 0 || headers['transfer-encoding'] !== undefined
    if (hasBody) request.once('end', () => begin(socket, response))
    else begin(socket, response)
  })
  return answering
}

/** Calls back when all of an answer was handed to Node, which tells nothing then, or when it never will be. */
function onceMade(response: ServerResponse, callback: () => void): void {
  if (response.writableEnded) {
    callback()
    return
  }
  const end = response.end as (...args: unknown[]) => ServerResponse
  let isMade = false
  const made = () => {
    if (!isMade) callback()
    isMade = true
  }
  const endAndTell = (...args: unknown[]) => {
    const ended = end.apply(response, args)
    made()
    return ended
  }
  Object.assign(response, { end: endAndTell })
  response.once('close', made)
}

/** Requests that came after the last one that is answered. */
type Ignored = WeakSet<IncomingMessage>

/**
 * Bounds what one connection may ask ahead of its answers: Node makes all of them at once and keeps them until the ones
 * before are read. The last answer says that it is the last, as RFC 9112 (9.6) has it, and what comes after is not done.
 */
function boundPipelines(app: FastifyInstance): Ignored {
  const waiting = new WeakMap<Socket, number>()
  const ignored: Ignored = new WeakSet()
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const count = (waiting.get(socket) ?? 0) + 1
    waiting.set(socket, count)
    if (count > PIPELINED_MAX) ignored.add(request)
    if (count > IGNORED_MAX) socket.destroy()
    if (count === PIPELINED_MAX) response.setHeader('connection', 'close')
    // Once the last answer is announced, none of those before it makes room for another one.
    response.once('close', () => {
      const now = waiting.get(socket) ?? 0
      if (now < PIPELINED_MAX) waiting.set(socket, now - 1)
    })
  })
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (ignored.has(raw)) reply.hijack()
  })
  return ignored
}

function atMostEvery(ms: number, act: () => void): () => void {
  let nextAt = 0
  return () => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + ms
    act()
  }
}
