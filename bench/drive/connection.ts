import net from 'node:net'

export interface Response {
  status: number
  body: Buffer
  /** The lines of its header, as they were sent. */
  head: string
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const [SPACE, ZERO] = [0x20, 0x30]

/**
 * A connection to a server on this machine, for one request at a time: less work than a client of full HTTP, because the
 * load shares the machine with what it measures. Reconnects when the server has closed it.
 */
export class Connection {
  readonly #port: number
  #socket: net.Socket | undefined
  #received: Buffer | undefined
  #resolve: (response: Response) => void = () => {}
  #reject: (error: Error) => void = () => {}

  constructor(port: number) {
    this.#port = port
  }

  send(request: Buffer): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#socket ??= this.#open()
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #open(): net.Socket {
    const socket = net.connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('error', (error) => this.#reject(error))
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined
      this.#reject(new Error('The server has closed the connection'))
    })
    return socket
  }

  #receive(chunk: Buffer): void {
    const received = this.#received ? Buffer.concat([this.#received, chunk]) : chunk
    const response = readResponse(received)
    this.#received = response ? undefined : received
    if (!response) return
    if (/^connection: close\r?$/im.test(response.head)) this.close()
    this.#resolve(response)
  }
}

/** Undefined: it is not complete yet. */
function readResponse(bytes: Buffer): Response | undefined {
  const headEnd = bytes.indexOf(END_OF_HEAD)
  if (headEnd < 0) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const body = readBody(bytes.subarray(headEnd + 4), head)
  return body && { status: statusIn(bytes), body, head }
}

/** `HTTP/1.1 200 OK` */
function statusIn(bytes: Buffer): number {
  const start = bytes.indexOf(SPACE) + 1
  return [0, 1, 2].reduce((status, index) => status * 10 + ((bytes[start + index] as number) - ZERO), 0)
}

function readBody(bytes: Buffer, head: string): Buffer | undefined {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return bytes.length >= Number(length) ? bytes.subarray(0, Number(length)) : undefined
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return readChunks(bytes)
  return bytes.subarray(0, 0)
}

function readChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let position = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', position)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', position, lineEnd), 16)
    const end = lineEnd + 2 + size
    if (bytes.length < end + 2) return undefined
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(lineEnd + 2, end))
    position = end + 2
  }
}
