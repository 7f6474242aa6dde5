import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from './free-port.ts'

/** A Redis on loopback that keeps nothing on disk. */
export interface RedisServer {
  url: string
  start(): Promise<void>
  signal(signal: NodeJS.Signals): void
  kill(): Promise<void>
}

export async function startRedis(): Promise<RedisServer> {
  const server = new Server(await freePort())
  await server.start()
  return server
}

class Server implements RedisServer {
  readonly url: string
  readonly #port: number
  #child: ChildProcess | undefined

  constructor(port: number) {
    this.#port = port
    this.url = `redis://127.0.0.1:${port}`
  }

  async start(): Promise<void> {
    const child = spawn('redis-server', ['--port', String(this.#port), '--bind', '127.0.0.1', '--save', ''], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    this.#child = child
    for await (const text of child.stdout) if (String(text).includes('Ready to accept')) break
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  async kill(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.signal('SIGKILL')
    await exited
  }
}
