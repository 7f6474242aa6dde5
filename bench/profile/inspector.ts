import { once } from 'node:events'

interface Reply {
  id?: number
  result?: unknown
  error?: { message: string }
}

/** A connection to the inspector of a Node process. */
export class Inspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))))
  }

  static async open(port: number): Promise<Inspector> {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`)
    const [target] = (await response.json()) as [{ webSocketDebuggerUrl: string }]
    const socket = new WebSocket(target.webSocketDebuggerUrl)
    await once(socket, 'open')
    return new Inspector(socket)
  }

  send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
  }

  close(): void {
    this.#socket.close()
  }

  #receive({ id = 0, result, error }: Reply): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(new Error(error.message))
    else waiting?.resolve(result)
  }
}
