import http from 'node:http'
import { KEEP_ALIVE_MS } from '../src/http/server.ts'
import { exchange } from '../test/support/http.ts'

export interface HttpRequest {
  method: string
  /** With its query, not encoded again. */
  path: string
  /** In order; a name can occur twice. */
  headers: [name: string, value: string][]
  body: Buffer | undefined
}

export interface HttpAnswer {
  status: number
  /** By name in lower case: all values. */
  headers: Map<string, string[]>
  text: string
}

/** The connection was closed without a whole answer. */
export class NoAnswer extends Error {}

/** In the middle of one. */
export class CutOff extends NoAnswer {}

const TIMEOUT_MS = 20_000
/** Shorter than the service keeps an idle connection: it would close one in the moment in which a request is sent on it. */
const IDLE_MS = KEEP_ALIVE_MS / 2

/** Sends requests unchanged: repeated headers, paths without normalization, any bytes. */
export function openHttpClient(address: string) {
  const { hostname, port } = new URL(address)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16, scheduling: 'lifo', timeout: IDLE_MS })
  const send = (request: HttpRequest): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      const options = { hostname, port, agent, method: request.method, path: request.path, timeout: TIMEOUT_MS }
      const sent = http.request({ ...options, headers: headersOf(request, `${hostname}:${port}`) }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: headersIn(answer.rawHeaders),
            text: Buffer.concat(chunks).toString(),
          }),
        )
        const soFar = () => `${answer.statusCode}, then ${Buffer.concat(chunks).length} bytes`
        answer.on('error', (error) => reject(new CutOff(`${error.message} after ${soFar()}`)))
      })
      sent.on('error', (error) => reject(new NoAnswer(error.message)))
      sent.on('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)))
      sent.end(request.body)
    })
  return {
    send: (request: HttpRequest) => (isSendable(request) ? send(request) : sendBytes(address, request)),
    close: () => agent.destroy(),
  }
}

export type HttpClient = ReturnType<typeof openHttpClient>

/** Whether Node's HTTP client agrees to send this; everything else is written to a socket. */
export function isSendable({ path, headers }: HttpRequest): boolean {
  return /^[\x21-\x7e]*$/.test(path) && headers.every(([, value]) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value))
}

function headersOf({ method, headers, body }: HttpRequest, host: string): string[] {
  const isStreamed = headers.some(([name]) => name === 'transfer-encoding')
  const length =
    isStreamed || (body === undefined && method === 'GET') ? [] : ['content-length', String(body?.length ?? 0)]
  return ['host', host, 'connection', 'keep-alive', ...length, ...headers.flat()]
}

function headersIn(raw: string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase()
    found.set(name, [...(found.get(name) ?? []), raw[i + 1] as string])
  }
  return found
}

async function sendBytes(address: string, { method, path, headers, body }: HttpRequest): Promise<HttpAnswer> {
  const length: [string, string][] = body ? [['content-length', String(body.length)]] : []
  const lines = [['host', 'localhost'], ['connection', 'close'], ...length, ...headers].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  const [answer] = await exchange(address, head, body ?? Buffer.alloc(0))
  if (!answer) throw new NoAnswer('the connection was closed')
  return {
    status: answer.status,
    headers: new Map([...answer.headers].map(([name, value]) => [name, [value]])),
    text: answer.body,
  }
}
