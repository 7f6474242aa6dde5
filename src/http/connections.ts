import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { shareOf } from '../lib/networks.ts'
import { isLoopback } from '../lib/proxies.ts'
import { Seats } from '../lib/seats.ts'

/** Open files that are no connections of callers: database, Redis, mail, log, what Node itself keeps open, and some more. */
const KEPT_FOR_OTHERS = 100
/** More would cost more memory than they are worth, however many files may be open. */
const CONNECTIONS_MAX = 20_000
const WARN_EVERY_MS = 60_000

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
 * Keeps idle connections from shutting others out: each newcomer is let in, and the longest idle one of the largest
 * network is closed instead. Loopback and trusted proxies stand for many, so no share bounds them.
 */
export function boundConnections(server: Server, { max, isProxy, log }: ConnectionBounds): void {
  // A newcomer is counted before anything is closed for it.
  server.maxConnections = max + 1
  const seats = new Seats<Socket>(max)
  const warn = atMostEvery(WARN_EVERY_MS, () => log.warn({ max }, 'too many connections: closing idle ones'))
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    const share = isLoopback(address) || isProxy(address) ? undefined : shareOf(address)
    const dismissed = seats.take(socket, share)
    socket.once('close', () => seats.leave(socket))
    for (const each of dismissed) each.destroy()
    if (dismissed.length > 0) warn()
  })
  server.on('request', (request, response) => {
    const { socket, headers } = request
    const begin = () => {
      if (response.closed) return
      seats.work(socket)
      response.once('close', () => seats.rest(socket))
    }
    // Who takes long over a body is as idle as who asks nothing.
    const hasBody = Number(headers['content-length']) > 0 || headers['transfer-encoding'] !== undefined
    if (hasBody) request.once('end', begin)
    else begin()
  })
}

function atMostEvery(ms: number, act: () => void): () => void {
  let nextAt = 0
  return () => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + ms
    act()
  }
}
