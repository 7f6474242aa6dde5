import pg from 'pg'
import { unavailable } from './errors.ts'
import { Line } from './lines.ts'
import { serviceSession, type Target } from './session.ts'
import { prepareSteps } from './statements.ts'

export type { Target }

const LINES = 6
const EXCLUSIVE_CONNECTIONS = 8
const IDLE_MS = 60_000
/** A statement ends sooner; a server that has gone silent does not even end a connection. */
const CLOSE_MS = 3000

export interface Connections {
  /** A connection that many use at once, each for one statement: what waits or works long there holds up the others. */
  shared<Result>(use: (client: pg.Client) => Promise<Result>): Promise<Result>
  /** A connection for one use; release it with the error after which it can't be used again. */
  exclusive(): Promise<pg.PoolClient>
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
  const lines = Array.from({ length: LINES }, () => new Line(config, prepare))
  return {
    shared: (use) => soonest(lines).use(use),
    exclusive: () => pool.connect().catch(unavailable),
    async close() {
      const force = setTimeout(() => open.forEach(breakOff), CLOSE_MS)
      await Promise.all([pool.end(), ...lines.map((line) => line.close())])
      clearTimeout(force)
    },
  }
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
