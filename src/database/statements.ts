import { createHash } from 'node:crypto'
import pg from 'pg'
import { isOutdated } from './errors.ts'
import { DEADLINE_MS } from './session.ts'

/**
 * A prepared statement that is sent before the statement itself, in the same sync of PostgreSQL's protocol. One sync is
 * one implicit transaction: when a step fails, the server skips the rest. Steps are prepared when a connection is
 * opened, so only their values are sent.
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
  /** For background work: its statements may take longer, and never run on shared connections. */
  slow?: boolean
}

/** statement_timeout of background work. */
const SLOW_STATEMENT_MS = 5000
/** After the server's timeout, so that a slow statement fails alone and keeps its connection. */
const SLOW_DEADLINE_MS = 5500
/** For a statement whose request has already waited long for a connection. */
const DEADLINE_MS_MIN = 200

const SCOPE = `select set_config('role', $1, true), set_config('app.company_id', $2, true), set_config('app.account_id', $3, true)`
const SLOW = `select set_config('statement_timeout', '${SLOW_STATEMENT_MS}', true)`

export const beginStep: Step = { name: 'begin', values: [] }
const slowStep: Step = { name: 'slow', values: [] }

export function scopeSteps({ role, companyId = '', accountId = '', slow }: Scope): Step[] {
  const scope = { name: 'scope', values: [role, companyId, accountId] }
  return slow ? [scope, slowStep] : [scope]
}

/**
 * Prepares the steps on a new connection; the driver can't prepare them together with another statement, because it
 * assigns the server's reply to the statement's own name. Also sets the role without rights again: PostgreSQL 15.9,
 * 16.5 and 17.1 ignore the one in the connection's options, and a statement without a scope would run as the owner.
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

/** The parts of the driver's connection that steps need, which its types leave out. */
interface DriverConnection {
  bind(config: { statement: string; values: string[] }): void
  execute(config: { portal: string; rows: number }): void
}
interface DriverQuery {
  prepare(connection: DriverConnection): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: DriverConnection): void
}
type Callback = (error: Error | null, result: pg.QueryResult) => void
interface Config {
  /** Undefined: planned each time. */
  name: string | undefined
  text: string
  values: readonly unknown[]
  queryMode: 'extended'
}
const DriverQuery = pg.Query as unknown as new (config: Config, values: undefined, callback: Callback) => DriverQuery

/** The driver's own query with steps before it, whose results are dropped. */
class SteppedQuery extends DriverQuery {
  declare private readonly steps: Step[]
  declare private stepsLeft: number
  /** In milliseconds; the driver reads it under this name. */
  declare readonly query_timeout: number

  constructor(config: Config, { steps, slow, waitedMs = 0 }: SendOptions, callback: Callback) {
    super(config, undefined, callback)
    this.steps = steps
    this.stepsLeft = steps.length
    this.query_timeout = slow ? SLOW_DEADLINE_MS : Math.max(DEADLINE_MS - waitedMs, DEADLINE_MS_MIN)
  }

  override prepare(connection: DriverConnection): void {
    for (const step of this.steps) {
      connection.bind({ statement: step.name, values: step.values })
      connection.execute({ portal: '', rows: 0 })
    }
    super.prepare(connection)
  }

  override handleDataRow(message: unknown): void {
    if (this.stepsLeft === 0) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: DriverConnection): void {
    if (this.stepsLeft > 0) this.stepsLeft--
    else super.handleCommandComplete(message, connection)
  }
}

export interface Statement {
  sql: string
  parameters: readonly unknown[]
}

export interface SendOptions {
  steps: Step[]
  /** Whether the longer limits of background work apply. */
  slow: boolean
  /** How long the request has waited for its connection, which counts against the deadline. */
  waitedMs?: number
}

/** Sends a statement with its steps, as a prepared statement that the server plans once for each connection. */
export function send(
  client: pg.ClientBase,
  { sql, parameters }: Statement,
  options: SendOptions,
): Promise<pg.QueryResult> {
  const name = nameOf(sql)
  return new Promise((resolve, reject) => {
    const callback: Callback = (error, result) => {
      if (!error) return resolve(result)
      if (name && isOutdated(error) && name === names.get(sql)) forgetNames()
      reject(error)
    }
    const config: Config = { name, text: sql, values: parameters, queryMode: 'extended' }
    client.query(new SteppedQuery(config, options, callback) as unknown as pg.Submittable)
  })
}

const NAMES_MAX = 500
const names = new Map<string, string>()
let generation = 0

/**
 * The name of the prepared statement for a text. Every connection keeps the plans of all names, so their number is
 * bounded, well above the number of texts in this code; a text beyond the bound is planned each time.
 */
function nameOf(sql: string): string | undefined {
  const known = names.get(sql)
  if (known || names.size >= NAMES_MAX) return known
  const name = createHash('sha256').update(`${generation} ${sql}`).digest('base64url')
  names.set(sql, name)
  return name
}

/** Makes every connection prepare every statement again, when it is next sent. */
function forgetNames(): void {
  generation++
  names.clear()
}
