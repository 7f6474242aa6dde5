import { setTimeout as pause } from 'node:timers/promises'
import { Connection, type Response } from './connection.ts'

export interface Outgoing {
  bytes: Buffer
  /** Takes from the response what the next request needs. */
  read?(response: Response): void
}

/** What to send, on how many connections at once. */
export interface Load {
  connections: number
  status: number
  /** The next request of a connection; undefined: there are no more. */
  next(connection: number): Outgoing | undefined
}

export interface Window {
  requests: number
  seconds: number
  /** Milliseconds of each request, in ascending order. */
  latencies: Float64Array
}

/** A response that is not the expected one: the run ends, because its numbers would be of something else. */
export class WrongResponse extends Error {}

/** Sends requests for some seconds, each connection its next one when it has the response. Waits for the last responses. */
export async function drive(port: number, load: Load, seconds: number): Promise<Window> {
  const connections = Array.from({ length: load.connections }, () => new Connection(port))
  const latencies: number[] = []
  const since = performance.now()
  const until = since + seconds * 1000
  try {
    await Promise.all(connections.map((connection, index) => sendUntil(connection, index, load, until, latencies)))
  } finally {
    for (const connection of connections) connection.close()
  }
  return {
    requests: latencies.length,
    seconds: (performance.now() - since) / 1000,
    latencies: Float64Array.from(latencies).sort(),
  }
}

async function sendUntil(
  connection: Connection,
  index: number,
  load: Load,
  until: number,
  latencies: number[],
): Promise<void> {
  for (let now = performance.now(); now < until; ) {
    const request = load.next(index)
    if (!request) return
    const response = await connection.send(request.bytes)
    const end = performance.now()
    if (response.status !== load.status) throw wrong(request, response)
    latencies.push(end - now)
    request.read?.(response)
    now = end
  }
}

function wrong({ bytes }: Outgoing, { status, body }: Response): WrongResponse {
  const line = bytes.toString('latin1').split('\r\n', 1)[0]
  return new WrongResponse(`${line} gave ${status}: ${body.toString().slice(0, 300)}`)
}

/** Sends requests without measuring them, until `stop`. */
export function driveBeside(port: number, load: Load): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const until = Number.POSITIVE_INFINITY
  const stoppable = { ...load, next: (index: number) => (stopping.signal.aborted ? undefined : load.next(index)) }
  const connections = Array.from({ length: load.connections }, () => new Connection(port))
  const all = Promise.all(connections.map((connection, index) => sendUntil(connection, index, stoppable, until, [])))
  return {
    async stop() {
      stopping.abort()
      await Promise.race([all, pause(10_000, undefined, { ref: false })])
      for (const connection of connections) connection.close()
    },
  }
}

/** A request as it goes over the line. */
export function requestOf(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  headers: Record<string, string> = {},
  body?: object,
): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const all = {
    host: '127.0.0.1',
    'user-agent': 'tenantry-bench',
    ...headers,
    ...(body && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
}
