import type pg from 'pg'
import type { Settings } from './connection-settings.ts'
import {
  leastLoaded,
  type OpenConnection,
  SharedConnection,
  type UseOfConnections,
  useOf,
} from './shared-connections.ts'

/** As many writes wait for each other on one connection. */
const UNDER_WAY_MAX = 8
/** As many of them are of one account, on all connections together. */
const SHARE = 3
/**
 * lock_timeout: as long as one write that waits for a row delays those behind it. Longer than most commits, so that
 * writes of one row after the other stay here.
 */
const LOCK_WAIT_MS = 50
/** statement_timeout. All writes of a full connection together stay below the deadline of a statement. */
const STATEMENT_MS = 200

export const WRITE_SETTINGS: Settings = {
  lock_timeout: String(LOCK_WAIT_MS),
  statement_timeout: String(STATEMENT_MS),
}

/**
 * Connections for writes of one statement, which are pipelined as reads are, and apart from them. A write that waits for
 * a lock delays only the few behind it, and only shortly: then it fails without an effect and is sent again on a
 * connection of its own. See docs/decisions/0018-fair-shares.md.
 */
export class WriteConnections {
  readonly #connections: SharedConnection[]
  readonly #underWayOf = new Map<string, number>()

  /** Each connection is prepared with WRITE_SETTINGS. */
  constructor(how: OpenConnection, count: number) {
    this.#connections = Array.from({ length: count }, () => new SharedConnection(how))
  }

  get stats(): UseOfConnections {
    return useOf(this.#connections)
  }

  /** Undefined, and nothing is done: there is no room for a write of this holder, or another write blocks it. */
  use<Result>(holder: string | undefined, work: (client: pg.Client) => Promise<Result>): Promise<Result> | undefined {
    const nowMs = performance.now()
    const connection = leastLoaded(this.#connections, nowMs)
    if (connection.isBlockedAt(nowMs) || connection.underWay >= UNDER_WAY_MAX) return undefined
    if (holder === undefined) return connection.use(work)
    const underWay = this.#underWayOf.get(holder) ?? 0
    if (underWay >= SHARE) return undefined
    this.#underWayOf.set(holder, underWay + 1)
    return connection.use(work).finally(() => this.#release(holder))
  }

  #release(holder: string): void {
    const left = (this.#underWayOf.get(holder) ?? 0) - 1
    if (left > 0) this.#underWayOf.set(holder, left)
    else this.#underWayOf.delete(holder)
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }
}
