import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** One span as OTLP writes it in JSON, with its attributes as an object. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  /** 2: server, 3: client. */
  kind: number
  /** 2: error. */
  status: { code?: number }
  attributes: Record<string, unknown>
}

/** A receiver of traces on loopback, in place of an OpenTelemetry collector. */
export interface TraceReceiver {
  address: string
  /** Bodies as they came, with their types. */
  bodies: { type: string; path: string; bytes: Buffer }[]
  spans(): ReceivedSpan[]
  close(): void
}

interface JsonSpan extends Omit<ReceivedSpan, 'attributes'> {
  attributes: { key: string; value: Record<string, unknown> }[]
}

export async function startTraceReceiver(): Promise<TraceReceiver> {
  const bodies: TraceReceiver['bodies'] = []
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request)
    bodies.push({ type: request.headers['content-type'] ?? '', path: request.url ?? '', bytes })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    spans: () => bodies.flatMap(({ bytes }) => spansIn(JSON.parse(bytes.toString()))),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function spansIn(body: { resourceSpans: { scopeSpans: { spans: JsonSpan[] }[] }[] }): ReceivedSpan[] {
  const spans = body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  return spans.map(({ attributes, ...span }) => ({
    ...span,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  }))
}
