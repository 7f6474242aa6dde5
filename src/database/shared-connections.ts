import pg from 'pg'
import { leavesConnectionUsable, unavailable } from './errors.ts'

/** A line that has answered nothing for so long is held up by a statement that waits or works. */
const HELD_UP_MS = 20
/** As many statements wait on every open line before another one is opened. */
const QUEUE_BEFORE_OPENING = 4
const HELD_UP = 1000

/**
 * A connection that many use at once: their statements travel without waiting for each other's answers, and are answered
 * in their order. Whoever needs it first after it broke opens it again.
 */
export class Line {
  readonly #config: pg.ClientConfig
  readonly #prepare: (client: pg.Client) => Promise<void>
  #opening: Promise<pg.Client> | undefined
  #waiting = 0
  #movedAt = 0

  constructor(config: pg.ClientConfig, prepare: (client: pg.Client) => Promise<void>) {
    this.#config = config
    this.#prepare = prepare
  }

  /** How long a new statement would have to wait here: of no unit, to compare lines. */
  delayAt(now: number): number {
    const heldUp = this.#waiting > 0 && now - this.#movedAt > HELD_UP_MS
    return this.#waiting + (this.#opening ? 0 : QUEUE_BEFORE_OPENING) + (heldUp ? HELD_UP : 0)
  }

  async use<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    if (this.#waiting++ === 0) this.#movedAt = performance.now()
    const opening = this.#opening ?? this.#open()
    try {
      return await work(await opening.catch(unavailable))
    } catch (error) {
      // The server says that it ends the connection a moment before it does.
      if (!leavesConnectionUsable(error)) this.#leave(opening)
      throw error
    } finally {
      this.#waiting--
      this.#movedAt = performance.now()
    }
  }

  #open(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    const opening = this.#connected(client)
    client.on('error', () => this.#leave(opening)).on('end', () => this.#leave(opening))
    this.#opening = opening
    return opening
  }

  #leave(opening: Promise<pg.Client>): void {
    if (this.#opening !== opening) return
    this.#opening = undefined
    opening.then((client) => client.end()).catch(() => {})
  }

  async #connected(client: pg.Client): Promise<pg.Client> {
    try {
      await client.connect()
      await this.#prepare(client)
      return client
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
  }

  async close(): Promise<void> {
    const client = await this.#opening?.catch(() => undefined)
    await client?.end()
  }
}
