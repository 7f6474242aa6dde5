import type pg from 'pg'

/** Where a primary server stands in the history of its cluster. */
export interface Position {
  /** Of the cluster, and the same on all of its servers. */
  system: string
  /** Each promotion of a replica begins the next one. */
  timeline: number
}

// A replica has no position of its own, and nothing is written there.
const POSITION = `select system_identifier::text as system,
    ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer as timeline
  from pg_control_system() where not pg_is_in_recovery()`

/**
 * The server was the primary until another one was promoted, and does not know it yet: it hung, or the network has
 * separated it from the others.
 */
export class FormerPrimaryError extends Error {
  constructor({ timeline }: Position, newest: Position) {
    super(
      `the server is on timeline ${timeline}, but a later primary has begun timeline ${newest.timeline}: what was written ` +
        'there may be missing here',
    )
  }
}

/** Undefined: the server is a replica, or does not tell, as some that are compatible with PostgreSQL. */
export async function findPosition(
  run: (text: string) => Promise<pg.QueryResult<Position>>,
): Promise<Position | undefined> {
  const result = await run(POSITION).catch((error) => {
    if (error.severity === undefined) throw error
    return undefined
  })
  return result?.rows[0]
}

/**
 * Keeps one process from a former primary, whose sessions and permissions are outdated. See
 * docs/decisions/0035-poolers-and-failover.md.
 */
export class Timelines {
  #newest: Position | undefined
  readonly #clients = new Map<pg.ClientBase, Position>()

  /** Throws a FormerPrimaryError when this process has been connected to a later primary of the same cluster. */
  assertCurrent(position: Position | undefined): void {
    if (position && this.#newest && isBehind(position, this.#newest))
      throw new FormerPrimaryError(position, this.#newest)
  }

  /** Takes a new connection into account. Returns those that lead to a former primary, as this one shows. */
  admit(client: pg.ClientBase, position: Position | undefined): pg.ClientBase[] {
    this.assertCurrent(position)
    if (!position) return []
    this.#newest = position
    this.#clients.set(client, position)
    return [...this.#clients].filter(([, other]) => isBehind(other, position)).map(([former]) => former)
  }

  remove(client: pg.ClientBase): void {
    this.#clients.delete(client)
  }
}

/** Servers of different clusters have no order, such as before and after a move to a new one. */
const isBehind = (one: Position, other: Position) => one.system === other.system && one.timeline < other.timeline
