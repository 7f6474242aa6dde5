import { createHash } from 'node:crypto'
import pg from 'pg'
import { isOutdated } from './errors.ts'
import { DEADLINE_MS } from './session.ts'

/**
 * What a statement sends ahead of itself in the same sync: each was prepared when the connection was opened, so only
 * its values travel. One sync is one implicit transaction: when a step fails, the server skips the rest.
 */
export interface Step {
  name: string
  values: string[]
}

/** Settings of one transaction: the database role, and the company and the account that row-level security asks for. */
export interface Scope {
  role: 'tenantry_account' | 'tenantry_tenant' | 'tenantry_worker'
  companyId?: string
  accountId?: string
  /** For work that nobody waits for: its statements may take longer, on connections of their own. */
  slow?: boolean
}

const SLOW_STATEMENT_MS = 5000
const SLOW_DEADLINE_MS = 5500
const LEAST_DEADLINE_MS = 200

const SCOPE = `select set_config('role', $1, true), set_config('app.company_id', $2, true), set_config('app.account_id', $3, true)`
const SLOW = `select set_config('statement_timeout', '${SLOW_STATEMENT_MS}', true)`

export const beginStep: Step = { name: 'begin', values: [] }
const slowStep: Step = { name: 'slow', values: [] }

export function scopeSteps({ role, companyId = '', accountId = '', slow }: Scope): Step[] {
  const scope = { name: 'scope', values: [role, companyId, accountId] }
  return slow ? [scope, slowStep] : [scope]
}

/**
 * Prepares the steps. The role without rights is taken once more: PostgreSQL 15.9, 16.5 and 17.1 ignore the one that a
 * connection is opened with, and a statement without a scope would run as the owner.
 *
 * The driver books a reply to Parse under the name of the query at hand, so they can't do it on the way.
 */
export async function prepareSteps(client: pg.ClientBase): Promise<void> {
  await Promise.all([
    client.query('set role tenantry_none'),
    client.query({ name: 'begin', text: 'begin' }),
    client.query({ name: 'scope', text: SCOPE, values: ['none', '', ''] }),
    client.query({ name: 'slow', text: SLOW }),
    client.query('rollback'),
  ])
}

/** The parts of the driver's connection that a step needs; its types leave them out. */
interface Wire {
  bind(config: { statement: string; values: string[] }): void
  execute(config: { portal: string; rows: number }): void
}
interface DriverQuery {
  prepare(wire: Wire): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, wire: Wire): void
}
type Answer = (error: Error | null, result: pg.QueryResult) => void
interface Config {
  /** Undefined: planned each time. */
  name: string | undefined
  text: string
  values: readonly unknown[]
  queryMode: 'extended'
}
const DriverQuery = pg.Query as unknown as new (config: Config, values: undefined, answer: Answer) => DriverQuery

/** The driver's own query with steps in front; the answers to the steps are dropped. */
class SteppedQuery extends DriverQuery {
  declare private readonly steps: Step[]
  declare private stepsLeft: number
  /** The driver asks for it under this name. */
  declare readonly query_timeout: number

  constructor(config: Config, { steps, slow, waitedMs = 0 }: Manner, answer: Answer) {
    super(config, undefined, answer)
    this.steps = steps
    this.stepsLeft = steps.length
    this.query_timeout = slow ? SLOW_DEADLINE_MS : Math.max(DEADLINE_MS - waitedMs, LEAST_DEADLINE_MS)
  }

  override prepare(wire: Wire): void {
    for (const step of this.steps) {
      wire.bind({ statement: step.name, values: step.values })
      wire.execute({ portal: '', rows: 0 })
    }
    super.prepare(wire)
  }

  override handleDataRow(message: unknown): void {
    if (this.stepsLeft === 0) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.stepsLeft > 0) this.stepsLeft--
    else super.handleCommandComplete(message, wire)
  }
}

export interface Statement {
  sql: string
  parameters: readonly unknown[]
}

/** How a statement is sent: what goes ahead of it, whether it may take longer, and what of its time is spent already. */
export interface Manner {
  steps: Step[]
  slow: boolean
  waitedMs?: number
}

/** Sends one statement with its steps, as a prepared statement that the server plans once for each connection. */
export function send(client: pg.ClientBase, { sql, parameters }: Statement, manner: Manner): Promise<pg.QueryResult> {
  const name = nameOf(sql)
  return new Promise((resolve, reject) => {
    const answer: Answer = (error, result) => {
      if (!error) return resolve(result)
      if (name && isOutdated(error) && name === names.get(sql)) renameAll()
      reject(error)
    }
    const config: Config = { name, text: sql, values: parameters, queryMode: 'extended' }
    client.query(new SteppedQuery(config, manner, answer) as unknown as pg.Submittable)
  })
}

const NAMES_MAX = 500
const names = new Map<string, string>()
let generation = 0

/**
 * The name under which a text is prepared. Every connection keeps the plans of all names, so there is a bound, well above
 * what our code has in texts; those beyond it are planned each time.
 */
function nameOf(sql: string): string | undefined {
  const known = names.get(sql)
  if (known || names.size >= NAMES_MAX) return known
  const name = createHash('sha256').update(`${generation} ${sql}`).digest('base64url')
  names.set(sql, name)
  return name
}

/** After this every connection prepares every statement anew, when it is sent the next time. */
function renameAll(): void {
  generation++
  names.clear()
}
