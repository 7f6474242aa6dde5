import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { CONTENT_TYPE } from './text.ts'

// An import would also load what this module exports but the service never uses, such as a WebSocket client.
const { createServer } = process.getBuiltinModule('node:http')

const REQUEST_MS = 5000
const CONNECTIONS_MAX = 20

export interface MetricsServer {
  /** Such as `http://127.0.0.1:9464/metrics`. */
  address: string
  stop(): Promise<void>
}

export interface MetricsServerOptions {
  host: string
  port: number
  log: Logger
  /** The text of one scrape. */
  scrape(): Promise<string>
}

/** Serves GET /metrics, apart from the API: other port, no limits, no authentication. Who reaches the port may read it. */
export async function serveMetrics({ host, port, log, scrape }: MetricsServerOptions): Promise<MetricsServer> {
  const timeouts = { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, connectionsCheckingInterval: 1000 }
  const server = createServer(timeouts, (request, response) => {
    respond(request, response, scrape).catch((error: unknown) => {
      log.error({ err: error }, 'metrics could not be collected')
      response.writeHead(500).end()
    })
  })
  server.maxConnections = CONNECTIONS_MAX
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, resolve)
  })
  const { port: actual } = server.address() as AddressInfo
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${actual}/metrics`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function respond(request: IncomingMessage, response: ServerResponse, scrape: () => Promise<string>) {
  const [path] = (request.url ?? '').split('?')
  if (path !== '/metrics') response.writeHead(404).end()
  else if (request.method !== 'GET' && request.method !== 'HEAD') response.writeHead(405, { allow: 'GET, HEAD' }).end()
  else {
    const text = await scrape()
    response.writeHead(200, { 'content-type': CONTENT_TYPE, 'cache-control': 'no-store' }).end(text)
  }
}
