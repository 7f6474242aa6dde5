import pg from 'pg'
import { SharedSlots } from '../lib/shared-slots.ts'
import { unavailable } from './errors.ts'
import { CONNECT_MS, serviceSession, type Target } from './session.ts'
import { Line } from './shared-connections.ts'
import { prepareSteps } from './statements.ts'

export type { Target }

const LINES = 6
const EXCLUSIVE_CONNECTIONS = 8
/** Of these at most so many for one company, or one account outside of companies: its slow writes delay nobody else's. */
const EXCLUSIVE_SHARE = 3
const IDLE_MS = 60_000
/** A statement ends sooner; a server that has gone silent does not even end a connection. */
const CLOSE_MS = 3000

export interface Connections {
  /** A connection that many use at once, each for one statement: what waits or works long there holds up the others. */
  shared<Result>(use: (client: pg.Client) => Promise<Result>): Promise<Result>
  /**
   * A connection for one use; release it with the error after which it can't be used again. Of one holder only a few are
   * lent at once; what else it asks for waits without a connection.
   */
  exclusive(holder?: string): Promise<pg.PoolClient>
  close(): Promise<void>
}

export function connect(target: Target): Connections {
  const config = serviceSession(target)
  const open = new Set<pg.ClientBase>()
  const prepare = async (client: pg.ClientBase) => {
    open.add(client)
    client.on('end', () => open.delete(client))
    // Without a listener a connection that breaks ends the process; whoever uses it is told by the statement's promise.
    client.on('error', () => {})
    await prepareSteps(client)
  }
  const pool = openPool(config, prepare)
  const slots = new SharedSlots({ count: EXCLUSIVE_CONNECTIONS, share: EXCLUSIVE_SHARE })
  const lines = Array.from({ length: LINES }, () => new Line(config, prepare))
  return {
    shared: (use) => soonest(lines).use(use),
    exclusive: (holder) => lend(pool, slots, holder).catch(unavailable),
    async close() {
      const force = setTimeout(() => open.forEach(breakOff), CLOSE_MS)
      await Promise.all([pool.end(), ...lines.map((line) => line.close())])
      clearTimeout(force)
    },
  }
}

/** All of the waiting, for a slot and for a connection that is yet to be opened, has one bound. */
async function lend(pool: pg.Pool, slots: SharedSlots, holder: string | undefined): Promise<pg.PoolClient> {
  const since = performance.now()
  const giveBack = await slots.take(holder, CONNECT_MS)
  try {
    const client = await inTime(pool.connect(), CONNECT_MS - (performance.now() - since))
    const release = client.release
    // The pool sets it anew whenever it lends the connection.
    client.release = (broken) => {
      release(broken)
      giveBack()
    }
    return client
  } catch (error) {
    giveBack()
    throw error
  }
}

/** A connection that is opened too late goes back to the pool. */
async function inTime(connecting: Promise<pg.PoolClient>, patienceMs: number): Promise<pg.PoolClient> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => {
      late.reject(new Error('No connection was opened in time'))
      connecting.then((client) => client.release()).catch(() => {})
    },
    Math.max(1, patienceMs),
  )
  return Promise.race([connecting, late.promise]).finally(() => clearTimeout(timer))
}

function openPool(config: pg.ClientConfig, prepare: (client: pg.ClientBase) => Promise<void>): pg.Pool {
  const settings = { ...config, max: EXCLUSIVE_CONNECTIONS, idleTimeoutMillis: IDLE_MS, onConnect: prepare }
  const pool = new pg.Pool(settings as pg.PoolConfig)
  pool.on('error', () => {})
  return pool
}

function soonest(lines: Line[]): Line {
  const now = performance.now()
  return lines.reduce((best, line) => (line.delayAt(now) < best.delayAt(now) ? line : best))
}

function breakOff(client: pg.ClientBase): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}
