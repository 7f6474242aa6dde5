import pg from 'pg'
import { Histogram } from '../lib/histogram.ts'
import { partOf } from '../lib/processes.ts'
import { SharedSlots } from '../lib/shared-slots.ts'
import {
  CONNECT_MS,
  READ_SETTINGS,
  SERVICE_SETTINGS,
  type Settings,
  serviceSession,
  type Target,
} from './connection-settings.ts'
import { throwUnavailable } from './errors.ts'
import {
  leastLoaded,
  type OpenConnection,
  SharedConnection,
  type UseOfConnections,
  useOf,
} from './shared-connections.ts'
import { prepareConnection } from './statements.ts'
import { Timelines } from './timelines.ts'
import { giveUpUnreplicated } from './unreplicated-commits.ts'
import { clientClassFor, destroySocket } from './writable-host.ts'
import { WRITE_SETTINGS, WriteConnections } from './write-connections.ts'

export type { Target }

/** Of one node; its processes divide them. */
const SHARED_CONNECTIONS = 6
const WRITE_CONNECTIONS = 4
const EXCLUSIVE_CONNECTIONS = 8
/** Of each process, so that one slow write does not delay all others. */
const EXCLUSIVE_CONNECTIONS_MIN = 2
/**
 * As many of them for one company, or one account outside of companies, so that its slow writes do not delay others.
 */
const EXCLUSIVE_SHARE = 3
/** An exclusive connection that is unused for this long is closed. */
const IDLE_MS = 60_000
/**
 * Longer than any statement. After this time sockets are destroyed, because a silent server does not end a connection.
 */
const CLOSE_MS = 3000

/** Of one process, since its start. */
export interface ConnectionStats {
  read: UseOfConnections
  write: UseOfConnections
  exclusive: UseOfConnections
  /** Requests that wait for an exclusive connection now. */
  waiting: number
  /** How long requests have waited for one, in seconds, those among them that got none. */
  waits: Histogram
  /** Requests that got none in time. */
  refused: number
}

/** The connections of one process to the database. They are opened when they are needed. */
export interface Connections {
  /**
   * Runs `use` with a connection that other requests use at the same time, each for one statement. A statement that
   * waits for a lock or runs long delays the others on that connection.
   */
  shared<Result>(use: (client: pg.Client) => Promise<Result>): Promise<Result>
  /**
   * Does the same for a write of one statement, on connections with shorter limits. Undefined, and nothing is done: none
   * has room for a write of this holder.
   */
  sharedForWrite<Result>(
    holder: string | undefined,
    use: (client: pg.Client) => Promise<Result>,
  ): Promise<Result> | undefined
  /**
   * A connection for one caller. Release it with the error after which it can't be used again. One holder, such as a
   * company, gets a few at the same time; its other requests wait. Throws `database_unavailable` CONNECT_MS after `since`.
   */
  exclusive(holder?: string, since?: number): Promise<pg.PoolClient>
  stats(): ConnectionStats
  /** Waits for statements under way, at most CLOSE_MS, and closes all connections. */
  close(): Promise<void>
}

/** Opens no connection yet. `processes`: as many divide the connections of this node. */
export function connect(target: Target, processes = 1): Connections {
  const config = serviceSession(target)
  const timelines = new Timelines()
  const Client = clientClassFor(target, timelines)
  const open = new Set<pg.ClientBase>()
  const prepareWith = (settings: Settings) => async (client: pg.ClientBase) => {
    open.add(client)
    client.on('end', () => {
      open.delete(client)
      timelines.remove(client)
    })
    // Without a listener a broken connection ends the process. The promise of the statement under way reports the
    // error.
    client.on('error', () => {})
    giveUpUnreplicated(client)
    const isPooledByTransaction = target.isPooledByTransaction ?? false
    const position = await prepareConnection(client, settings, { isPooledByTransaction })
    timelines.admit(client, position).forEach(destroySocket)
  }
  const openWith = (settings: Settings): OpenConnection => ({
    create: () => new Client(config),
    prepare: prepareWith(settings),
  })
  const exclusive = Math.max(partOf(EXCLUSIVE_CONNECTIONS, processes), EXCLUSIVE_CONNECTIONS_MIN)
  const pool = openPool({ ...config, Client, max: exclusive, onConnect: prepareWith(SERVICE_SETTINGS) })
  const slots = new SharedSlots({ count: exclusive, share: Math.min(EXCLUSIVE_SHARE, exclusive - 1) })
  const sharedConnections = Array.from(
    { length: partOf(SHARED_CONNECTIONS, processes) },
    () => new SharedConnection(openWith(READ_SETTINGS)),
  )
  const writeConnections = new WriteConnections(
    openWith({ ...SERVICE_SETTINGS, ...WRITE_SETTINGS }),
    partOf(WRITE_CONNECTIONS, processes),
  )
  const waits = new Histogram()
  let refused = 0
  return {
    shared: (use) => leastLoaded(sharedConnections, performance.now()).use(use),
    sharedForWrite: (holder, use) => writeConnections.use(holder, use),
    async exclusive(holder, since = performance.now()) {
      try {
        return await acquire(pool, slots, holder, since)
      } catch (error) {
        refused++
        return throwUnavailable(error)
      } finally {
        waits.observe((performance.now() - since) / 1000)
      }
    },
    stats: () => ({
      read: useOf(sharedConnections),
      write: writeConnections.stats,
      exclusive: { max: exclusive, open: pool.totalCount, inUse: pool.totalCount - pool.idleCount },
      waiting: slots.waiting,
      waits,
      refused,
    }),
    async close() {
      const timer = setTimeout(() => open.forEach(destroySocket), CLOSE_MS)
      await Promise.all([pool.end(), ...[...sharedConnections, writeConnections].map((each) => each.close())])
      clearTimeout(timer)
    },
  }
}

/** CONNECT_MS bounds both waits together: for a slot, and for a new connection. */
async function acquire(
  pool: pg.Pool,
  slots: SharedSlots,
  holder: string | undefined,
  since: number,
): Promise<pg.PoolClient> {
  const msLeft = () => Math.max(1, CONNECT_MS - (performance.now() - since))
  const releaseSlot = await slots.take(holder, msLeft())
  try {
    const client = await inTime(pool.connect(), msLeft())
    const release = client.release
    // The pool sets `release` again each time it hands out the connection.
    client.release = (broken) => {
      release(broken)
      releaseSlot()
    }
    return client
  } catch (error) {
    releaseSlot()
    throw error
  }
}

/** Throws after `timeoutMs`; a connection that opens later goes back to the pool. */
async function inTime(connecting: Promise<pg.PoolClient>, timeoutMs: number): Promise<pg.PoolClient> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    timeout.reject(new Error('No connection was opened in time'))
    connecting.then((client) => client.release()).catch(() => {})
  }, timeoutMs)
  return Promise.race([connecting, timeout.promise]).finally(() => clearTimeout(timer))
}

function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, idleTimeoutMillis: IDLE_MS })
  pool.on('error', () => {})
  return pool
}
