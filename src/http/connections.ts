import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { ConnectionSlots } from '../lib/connection-slots.ts'
import { shareOf } from '../lib/networks.ts'
import { partOf } from '../lib/processes.ts'
import { isLoopback } from '../lib/proxies.ts'
import { ConnectionProgress } from './connection-progress.ts'

/** Open files reserved for the database, Redis, mail, the log and Node itself. */
const RESERVED_FILES = 100
/** More connections of all processes would cost too much memory, however many files may be open. */
const CONNECTIONS_MAX = 20_000
const WARN_EVERY_MS = 60_000
const CHECK_EVERY_MS = 5000

/** Requests of one connection that wait for their responses. Few clients pipeline requests at all. */
const PIPELINED_MAX = 16
/** A connection is destroyed after this many requests without a response. */
const PENDING_MAX = 256

/** How many connections a limit of open files allows. Node raises its own limit to the hard limit at the start. */
export const connectionsMaxFor = (readOpenFilesMax: number, processes = 1) =>
  Math.min(
    partOf(CONNECTIONS_MAX, processes),
    Math.max(readOpenFilesMax - RESERVED_FILES, Math.floor(readOpenFilesMax / 4)),
  )

/** Assumed where the system does not report its limit: every system allows as many. */
const OPEN_FILES_MIN = 1024

export function readOpenFilesMax(): number {
  // Otherwise the report waits for the name server to resolve the address of each peer.
  Object.assign(process.report, { excludeNetwork: true })
  const report = process.report.getReport() as { userLimits?: { open_files?: Record<'soft' | 'hard', unknown> } }
  const { soft, hard } = report.userLimits?.open_files ?? {}
  const known = [soft, hard].map(Number).filter((count) => count > 0)
  return known.length > 0 ? Math.min(...known) : OPEN_FILES_MIN
}

export interface ConnectionLimits {
  max: number
  isProxy(address: string): boolean
  log: Logger
}

/**
 * Shares the connections fairly: a new one is always accepted, and when there are too many, the longest idle connection
 * of the largest network is closed. A client that does not read its responses counts as idle, too: see
 * docs/decisions/0018-fair-shares.md. Loopback and trusted proxies have many clients behind them, so they have no share.
 */
export function limitConnections(app: FastifyInstance, { max, isProxy, log }: ConnectionLimits): void {
  const { server } = app
  // A new connection is counted before another one is closed for it.
  server.maxConnections = max + 1
  const slots = new ConnectionSlots<Socket>(max)
  const warn = throttle(WARN_EVERY_MS, () => log.warn({ max }, 'too many connections: closing some'))
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    const share = isLoopback(address) || isProxy(address) ? undefined : shareOf(address)
    const closing = slots.take(socket, share)
    socket.once('close', () => slots.release(socket))
    for (const each of closing) each.destroy()
    if (closing.length > 0) warn()
  })
  const busy = trackResponses(server, slots, limitPipelining(app))
  const timer = setInterval(() => {
    for (const progress of busy.values()) progress.check()
  }, CHECK_EVERY_MS).unref()
  server.once('close', () => clearInterval(timer))
}

/** A connection is busy from the arrival of a whole request until its response is written, while the client reads it. */
function trackResponses(
  server: Server,
  slots: ConnectionSlots<Socket>,
  ignored: IgnoredRequests,
): Map<Socket, ConnectionProgress> {
  const busy = new Map<Socket, ConnectionProgress>()
  const track = (socket: Socket, response: ServerResponse) => {
    if (response.closed) return
    const progress = busy.get(socket) ?? new ConnectionProgress(socket, slots)
    busy.set(socket, progress)
    progress.startResponse()
    onceWritten(response, () => {
      if (progress.endResponse()) busy.delete(socket)
    })
  }
  server.on('request', (request, response) => {
    const { socket, headers } = request
    if (ignored.has(request)) return
    // A client that is slow to send its body counts as idle until the body is complete.
    const hasBody = Number(headers['content-length']) > 0 || headers['transfer-encoding'] !== undefined
    if (hasBody) request.once('end', () => track(socket, response))
    else track(socket, response)
  })
  return busy
}

/** Calls back once the whole response is handed to Node, for which Node has no event, or once it never will be. */
function onceWritten(response: ServerResponse, callback: () => void): void {
  if (response.writableEnded) {
    callback()
    return
  }
  const end = response.end as (...args: unknown[]) => ServerResponse
  let isCalled = false
  const callOnce = () => {
    if (!isCalled) callback()
    isCalled = true
  }
  const endAndCall = (...args: unknown[]) => {
    const ended = end.apply(response, args)
    callOnce()
    return ended
  }
  Object.assign(response, { end: endAndCall })
  response.once('close', callOnce)
}

/** Requests that came after the last one that gets a response. */
type IgnoredRequests = WeakSet<IncomingMessage>

/**
 * Limits how many requests one connection may send ahead of their responses, because Node handles all of them at once and
 * keeps each response until the ones before are read. The last response says `connection: close`, and requests after it
 * are ignored (RFC 9112, 9.6).
 */
function limitPipelining(app: FastifyInstance): IgnoredRequests {
  const pending = new WeakMap<Socket, number>()
  const ignored: IgnoredRequests = new WeakSet()
  app.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const count = (pending.get(socket) ?? 0) + 1
    pending.set(socket, count)
    if (count > PIPELINED_MAX) ignored.add(request)
    if (count > PENDING_MAX) socket.destroy()
    if (count === PIPELINED_MAX) response.setHeader('connection', 'close')
    // Once the last response is announced, earlier ones no longer make room for another.
    response.once('close', () => {
      const now = pending.get(socket) ?? 0
      if (now < PIPELINED_MAX) pending.set(socket, now - 1)
    })
  })
  app.addHook('onRequest', ({ raw }, reply, done) => {
    if (ignored.has(raw)) reply.hijack()
    done()
  })
  return ignored
}

function throttle(ms: number, act: () => void): () => void {
  let nextAt = 0
  return () => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + ms
    act()
  }
}
