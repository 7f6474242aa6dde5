import type { IncomingMessage, ServerResponse } from 'node:http'
import net, { type Socket } from 'node:net'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { endAfter, type OpenRequests } from './open-requests.ts'
import { holdRequests, quietTurn } from './quiet-turn.ts'

/** Longer than the slowest statement, so that it cuts only clients that do not read their response. */
const CLOSE_MS_MAX = 6000
/**
 * How long no request may have come before idle connections are closed. A client or a proxy may be sending one at that
 * moment, and a POST that meets a closed connection is not repeated. Under load each connection has learned of its end by
 * then; but a proxy that gets no CPU may have chosen a connection and not used it yet.
 */
const GRACE_MS = 1000
/** In times of that, for requests that go on coming. */
const GRACES_MAX = 3

interface CloseOptions {
  log: Logger
  graceMs?: number | undefined
}

/**
 * Ends the connections of a server that stops so that no write goes without its response: nothing new is accepted, each
 * response says `Connection: close`, and then every connection is closed that has no whole request under way. See
 * docs/decisions/0032-stopping.md.
 */
export function closeGracefully(
  app: FastifyInstance,
  requests: OpenRequests,
  { log, graceMs = GRACE_MS }: CloseOptions,
): void {
  const { server } = app
  const closing = new ClosingConnections(requests)
  server.prependListener('request', (request, response) => closing.onRequest(request, response))
  app.addHook('onRequest', ({ raw }, reply, done) => {
    if (closing.isIgnored(raw)) reply.hijack()
    done()
  })
  app.addHook('preClose', async () => {
    const limit = setTimeout(() => {
      log.warn({ connections: requests.sockets.length }, 'closing connections with responses that are not read')
      for (const socket of requests.sockets) socket.destroy()
    }, CLOSE_MS_MAX)
    const ended = new AbortController()
    const release = holdRequests(server, requests)
    await quietTurn()
    // The server's own `close` would also destroy connections on which a request may be on its way.
    const closed = new Promise<void>((resolve) => net.Server.prototype.close.call(server, () => resolve()))
    release()
    // What was held counts among the requests that came in time, also behind another one on its connection.
    await turn()
    closing.begin()
    void closing.cutWhenSilent(graceMs, ended.signal)
    await closed
    ended.abort()
    clearTimeout(limit)
  })
}

class ClosingConnections {
  readonly #requests: OpenRequests
  /** Connections whose next response is their last one. */
  readonly #ending = new WeakSet<Socket>()
  readonly #ignored = new WeakSet<IncomingMessage>()
  #isClosing = false
  #newestAt = 0

  constructor(requests: OpenRequests) {
    this.#requests = requests
  }

  isIgnored(request: IncomingMessage): boolean {
    return this.#ignored.has(request)
  }

  onRequest(request: IncomingMessage, response: ServerResponse): void {
    // A client takes no response after the one that closes the connection (RFC 9112, 9.6).
    if (this.#ending.has(request.socket)) {
      this.#ignored.add(request)
      return
    }
    this.#newestAt = performance.now()
    this.#requests.add(request, response)
    if (this.#isClosing) this.#endWith(response)
  }

  begin(): void {
    this.#isClosing = true
    this.#newestAt = performance.now()
    for (const socket of this.#requests.sockets) {
      const last = this.#requests.pendingOf(socket).at(-1)
      if (last) this.#endWith(last)
    }
  }

  #endWith(response: ServerResponse): void {
    this.#ending.add(response.req.socket)
    endAfter(response)
  }

  /** Cuts when no request has come for so long, or when they come without end. */
  async cutWhenSilent(graceMs: number, ended: AbortSignal): Promise<void> {
    const latest = performance.now() + GRACES_MAX * graceMs
    const restMs = () => Math.min(this.#newestAt + graceMs, latest) - performance.now()
    while (!ended.aborted) {
      await pause(Math.max(0, restMs()), undefined, { signal: ended }).catch(() => {})
      // A process that got no CPU for a while runs its timers before it reads what has arrived meanwhile.
      await quietTurn()
      if (restMs() <= 0) return this.#cut()
    }
  }

  /** Closes all connections but those with a whole request under way. What has half arrived has no effect yet. */
  #cut(): void {
    for (const socket of this.#requests.sockets) {
      if (!this.#requests.pendingOf(socket).some(({ req }) => req.complete)) socket.destroy()
    }
  }
}
