import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface OpenConnection {
  /** In the order of their requests. */
  pending: Set<ServerResponse>
  newest: IncomingMessage | undefined
}

/** Knows the connections of a server and the responses that each waits for. */
export class OpenRequests {
  readonly #connections = new Map<Socket, OpenConnection>()

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#connections.set(socket, { pending: new Set(), newest: undefined })
      socket.once('close', () => this.#connections.delete(socket))
    })
  }

  get sockets(): Socket[] {
    return [...this.#connections.keys()]
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket)
    if (!connection) return
    connection.newest = request
    connection.pending.add(response)
    response.once('close', () => connection.pending.delete(response))
  }

  /** The responses that the connection waits for, in the order of their requests. */
  pendingOf(socket: Socket): ServerResponse[] {
    return [...(this.#connections.get(socket)?.pending ?? [])]
  }

  /** Whether the newest request is still arriving, and its response has been sent already or has begun. */
  isAnsweredEarly(socket: Socket): boolean {
    const newest = this.#connections.get(socket)?.newest
    if (!newest || newest.complete) return false
    return this.pendingOf(socket).every(({ req, headersSent }) => req !== newest || headersSent)
  }
}

/** How long a client may take to read its response and to close the connection. */
const LINGER_MS = 1000

/** Makes a response the last one of its connection, and says so in its headers unless they are written already. */
export function endAfter(response: ServerResponse): void {
  const { socket } = response.req
  response.shouldKeepAlive = false
  // Before Node's own listener, which closes the connection.
  response.prependOnceListener('finish', () => {
    if (!response.req.complete) socket.destroySoon = () => linger(socket)
    socket.destroySoon()
  })
}

/**
 * Sends `last` and closes the connection soon. Closing at once, while the client is sending, would lose the response before
 * the client has read it.
 */
export function linger(socket: Socket, last = ''): void {
  socket.end(last)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
