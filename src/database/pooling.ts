import type pg from 'pg'
import { destroySocket } from './writable-host.ts'

/** How many connections the trial opens. */
const CLIENTS = 3
/** A pooler that has no connection left keeps its clients waiting. */
const ANSWER_MS = 5000

/** The pooler can't be used. `message` is a sentence without its subject, which is a setting. */
export class PoolerError extends Error {}

/** False: something stands in between that makes up the process id which it tells its clients, as poolers do. */
export async function isDirect(client: pg.Client): Promise<boolean> {
  return (await pidOf(client)) === (client as pg.Client & { processID: number | null }).processID
}

/**
 * Whether the pooler gives each transaction any of its connections, instead of one connection for as long as its client
 * stays. Finds out by trying, because poolers do not tell. Throws a PoolerError when the service can't work behind it.
 */
export async function isPooledByTransaction(open: () => Promise<pg.Client>): Promise<boolean> {
  const clients: pg.Client[] = []
  try {
    while (clients.length < CLIENTS) clients.push(await open())
    if (await keepsConnections(clients)) return false
    await assertKeepsStatements(clients)
    return true
  } catch (error) {
    throw error instanceof PoolerError ? error : new PoolerError(`leads to a pooler that failed: ${messageOf(error)}`)
  } finally {
    clients.forEach(destroySocket)
  }
}

/** Each client asks twice for its connection's process, the second time while the others keep theirs busy. */
async function keepsConnections(clients: pg.Client[]): Promise<boolean> {
  const pids: number[] = []
  for (const client of clients) pids.push(await pidOf(client))
  if (new Set(pids).size < clients.length) return false
  for (const [index, client] of clients.entries()) {
    const again = await whileOthersAreBusy(clients, client, () => pidOf(client))
    if (again !== pids[index]) return false
  }
  return true
}

/**
 * Every client prepares another statement by the same name, and executes it on whatever connection is left. From version
 * 1.21 on PgBouncer keeps them apart and prepares them where they are missing; others fail or confuse them.
 */
async function assertKeepsStatements(clients: pg.Client[]): Promise<void> {
  try {
    for (const [index, client] of clients.entries()) await executePrepared(client, index)
    for (const [index, client] of clients.entries())
      await whileOthersAreBusy(clients, client, () => executePrepared(client, index))
  } catch (error) {
    throw new PoolerError(
      `leads through a pooler in transaction mode that does not keep prepared statements (${messageOf(error)}): use ` +
        `PgBouncer 1.21 or later with max_prepared_statements, session mode, or PostgreSQL itself`,
    )
  }
}

async function executePrepared(client: pg.Client, index: number): Promise<void> {
  const query = { name: 'tenantry_trial', text: `select ${index} + $1::integer as sum`, values: [1] }
  const sum = (await answerTo(client, query)).rows[0]?.sum
  if (sum !== index + 1) throw new Error('it executed the statement of another client')
}

async function whileOthersAreBusy<Result>(
  clients: pg.Client[],
  chosen: pg.Client,
  work: () => Promise<Result>,
): Promise<Result> {
  const others = clients.filter((client) => client !== chosen)
  for (const other of others) await answerTo(other, { text: 'begin' })
  const result = await work()
  for (const other of others) await answerTo(other, { text: 'rollback' })
  return result
}

async function pidOf(client: pg.Client): Promise<number> {
  return (await answerTo(client, { text: 'select pg_backend_pid() as pid' })).rows[0]?.pid
}

function answerTo(client: pg.Client, query: pg.QueryConfig): Promise<pg.QueryResult> {
  return client.query({ ...query, query_timeout: ANSWER_MS } as pg.QueryConfig)
}

const messageOf = (error: unknown) => (error as Error).message
