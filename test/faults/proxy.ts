import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'

/** Where connections go: a port of this machine. */
export type Upstream = () => number

/** A proxy on loopback that fails like a network. */
export interface FaultProxy {
  port: number
  /** Closes all connections and refuses new ones until `restore`. */
  cut(): Promise<void>
  /** Delivers nothing more, without closing anything, until `restore`. */
  hang(): void
  /** Delivers nothing more on the connections of now, for ever; new ones work. */
  halfOpen(): void
  /** Delivers everything this much later. */
  delay(ms: number): void
  restore(): Promise<void>
  close(): Promise<void>
}

interface Link {
  sockets: net.Socket[]
  isDead: boolean
}

export async function startFaultProxy(upstream: Upstream): Promise<FaultProxy> {
  const proxy = new NetworkProxy(upstream)
  await proxy.listen()
  return proxy
}

class NetworkProxy implements FaultProxy {
  port = 0
  readonly #upstream: Upstream
  readonly #server: net.Server
  readonly #links = new Set<Link>()
  #isHanging = false
  #delayMs = 0

  constructor(upstream: Upstream) {
    this.#upstream = upstream
    this.#server = net.createServer({ noDelay: true }, (near) => this.#accept(near))
  }

  async listen(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.port = (this.#server.address() as AddressInfo).port
  }

  async cut(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const { sockets } of this.#links) for (const socket of sockets) socket.destroy()
    await closed
  }

  hang(): void {
    this.#isHanging = true
    for (const { sockets } of this.#links) for (const socket of sockets) socket.pause()
  }

  halfOpen(): void {
    for (const link of this.#links) link.isDead = true
  }

  delay(ms: number): void {
    this.#delayMs = ms
  }

  async restore(): Promise<void> {
    this.#isHanging = false
    this.#delayMs = 0
    if (!this.#server.listening) await this.listen()
    for (const { sockets } of this.#links) for (const socket of sockets) socket.resume()
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.cut()
  }

  #accept(near: net.Socket): void {
    const far = net.connect({ port: this.#upstream(), host: '127.0.0.1', noDelay: true })
    const link: Link = { sockets: [near, far], isDead: false }
    this.#links.add(link)
    this.#forward(link, near, far)
    this.#forward(link, far, near)
  }

  #forward(link: Link, from: net.Socket, to: net.Socket): void {
    if (this.#isHanging) from.pause()
    from.on('data', (bytes) => {
      if (link.isDead) return
      if (this.#delayMs > 0) setTimeout(() => to.write(bytes), this.#delayMs)
      else to.write(bytes)
    })
    from.on('error', () => {})
    // A dead link shows neither side that the other one has gone.
    from.on('close', () => {
      if (link.isDead && !to.destroyed) return
      this.#links.delete(link)
      to.destroy()
    })
  }
}
