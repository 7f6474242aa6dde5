import type pg from 'pg'
import { leavesConnectionUsable, throwUnavailable } from './errors.ts'

/** A connection with statements under way that has answered none for this long is blocked by a slow or waiting one. */
const BLOCKED_AFTER_MS = 20
/** Another connection is opened when this many statements are under way on every open one. */
const STATEMENTS_BEFORE_OPENING = 4
/** More than the load of any connection that is not blocked. */
const BLOCKED_LOAD = 1000

/** How a connection is made. */
export interface OpenConnection {
  /** A client that is not connected yet. */
  create(): pg.Client
  /** Makes the settings of a new connection. */
  prepare(client: pg.Client): Promise<void>
}

/**
 * A connection that many requests use at the same time. Their statements are pipelined: sent without waiting for each
 * other's results, and answered in order. After it has broken, the next use opens it again.
 */
export class SharedConnection {
  readonly #how: OpenConnection
  #opening: Promise<pg.Client> | undefined
  #underWay = 0
  #lastAnswerMs = 0

  constructor(how: OpenConnection) {
    this.#how = how
  }

  /** The number of statements that are not answered yet. */
  get underWay(): number {
    return this.#underWay
  }

  get isOpen(): boolean {
    return this.#opening !== undefined
  }

  isBlockedAt(nowMs: number): boolean {
    return this.#underWay > 0 && nowMs - this.#lastAnswerMs > BLOCKED_AFTER_MS
  }

  /** A number without a unit, to compare connections by how long a new statement would wait. */
  loadAt(nowMs: number): number {
    const load = this.#underWay + (this.#opening ? 0 : STATEMENTS_BEFORE_OPENING)
    return this.isBlockedAt(nowMs) ? load + BLOCKED_LOAD : load
  }

  async use<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    if (this.#underWay++ === 0) this.#lastAnswerMs = performance.now()
    const opening = this.#opening ?? this.#open()
    try {
      return await work(await opening.catch(throwUnavailable))
    } catch (error) {
      // The server announces the end of a connection a moment before it closes it.
      if (!leavesConnectionUsable(error)) this.#discard(opening)
      throw error
    } finally {
      this.#underWay--
      this.#lastAnswerMs = performance.now()
    }
  }

  #open(): Promise<pg.Client> {
    const client = this.#how.create()
    const opening = this.#connect(client)
    client.on('error', () => this.#discard(opening)).on('end', () => this.#discard(opening))
    this.#opening = opening
    return opening
  }

  #discard(opening: Promise<pg.Client>): void {
    if (this.#opening !== opening) return
    this.#opening = undefined
    opening.then((client) => client.end()).catch(() => {})
  }

  async #connect(client: pg.Client): Promise<pg.Client> {
    try {
      await client.connect()
      await this.#how.prepare(client)
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

export function leastLoaded(connections: SharedConnection[], nowMs: number): SharedConnection {
  return connections.reduce((best, other) => (other.loadAt(nowMs) < best.loadAt(nowMs) ? other : best))
}

/** How much of some connections is used. */
export interface UseOfConnections {
  max: number
  open: number
  /** Statements under way on shared connections, otherwise connections that are handed out. */
  inUse: number
}

export function useOf(connections: readonly SharedConnection[]): UseOfConnections {
  return {
    max: connections.length,
    open: connections.filter(({ isOpen }) => isOpen).length,
    inUse: connections.reduce((sum, { underWay }) => sum + underWay, 0),
  }
}
