import type pg from 'pg'
import { tracing } from '../tracing/spans.ts'
import { DEADLINE_MS, type Settings, SLOW_DEADLINE_MS, SLOW_STATEMENT_MS, settingsSql } from './connection-settings.ts'
import type { StatementResult } from './results.ts'
import { beginStep, type Statement, type Step, Sync } from './sync.ts'
import { findPosition, type Position } from './timelines.ts'
import { ReadOnlyHostError } from './writable-host.ts'

export { beginStep, type Statement, type StatementResult }

/** Settings of one transaction: the database role, and the company and the account that row-level security asks for. */
export interface Scope {
  role: 'tenantry_account' | 'tenantry_tenant' | 'tenantry_worker'
  companyId?: string
  accountId?: string
  /** Whose share of the connections it takes; undefined: the company's or the account's. */
  holder?: string
  /** For background work: its statements may take longer, and never run on shared connections. */
  slow?: boolean
}

/** For a statement whose request has already waited long for a connection. */
const DEADLINE_MS_MIN = 200

/** Returns no row, because none would be read. */
export const SET_SCOPE = `select where num_nulls(
  set_config('role', $1, true), set_config('app.company_id', $2, true), set_config('app.account_id', $3, true)) > 0`
const SLOW = `select set_config('statement_timeout', '${SLOW_STATEMENT_MS}', true)`

const slowStep: Step = { name: 'slow', values: [] }
const settingsStep: Step = { name: 'settings', values: [] }

export function scopeSteps({ role, companyId = '', accountId = '', slow }: Scope): Step[] {
  const scope = { name: 'scope', values: [role, companyId, accountId] }
  return slow ? [scope, slowStep] : [scope]
}

/** Clients behind a pooler that gives each transaction any of its connections. */
const pooledByTransaction = new WeakSet<pg.ClientBase>()

/**
 * Makes the settings of a new connection, the role without rights among them, and prepares the steps, so that only their
 * values are sent later; all in one round trip. Behind a pooler in transaction mode nothing is set beyond a transaction,
 * because it would apply to other clients: there the settings are a step of each transaction. Returns where the server
 * stands.
 *
 * Throws when the server is a standby, as one host may become behind a proxy or a name: it would answer reads, and a session
 * that was just revoked would live on there.
 */
export async function prepareConnection(
  client: pg.ClientBase,
  settings: Settings,
  { isPooledByTransaction }: { isPooledByTransaction: boolean },
): Promise<Position | undefined> {
  const run = (query: pg.QueryConfig) => client.query({ ...query, query_timeout: DEADLINE_MS } as pg.QueryConfig)
  const text = settingsSql(settings, { isLocal: isPooledByTransaction })
  if (isPooledByTransaction) pooledByTransaction.add(client)
  const [{ rows }, , position] = await Promise.all([
    run({ text: 'select pg_is_in_recovery() as "isStandby"' }),
    run(isPooledByTransaction ? { name: settingsStep.name, text } : { text }),
    findPosition((query) => run({ text: query })),
    run({ name: 'begin', text: 'begin isolation level read committed' }),
    run({ name: 'scope', text: SET_SCOPE, values: ['none', '', ''] }),
    run({ name: 'slow', text: SLOW }),
    run({ text: 'rollback' }),
  ])
  if (rows[0]?.isStandby) throw new ReadOnlyHostError('The server is a standby of another one')
  return position
}

/** Ends the transaction. Returns the server's word for what it did: a failed one is rolled back in any case. */
export async function endTransaction(client: pg.ClientBase, how: 'commit' | 'rollback'): Promise<string> {
  const { command } = await send(client, { sql: how, parameters: [], isConstant: true }, { steps: [], slow: false })
  return command
}

export interface SendOptions {
  steps: Step[]
  /** Whether the longer limits of background work apply. */
  slow: boolean
  /** How long the request has waited for its connection, which counts against the deadline. */
  waitedMs?: number
}

/** Sends a statement with its steps, as a prepared statement that the server plans once for each connection. */
export function send(client: pg.ClientBase, statement: Statement, options: SendOptions): Promise<StatementResult> {
  return sendAll(client, [statement], options)[0] as Promise<StatementResult>
}

/**
 * Sends steps and then statements in one round trip, and returns a promise for each statement. When one fails, the
 * server skips those behind it, which fail with the same error. Where no transaction is open, only the last one waits for
 * the commit: so there the others must be reads. The deadline is that of all together.
 */
export function sendAll(
  client: pg.ClientBase,
  statements: readonly Statement[],
  { steps, slow, waitedMs = 0 }: SendOptions,
): Promise<StatementResult>[] {
  const timeoutMs = slow ? SLOW_DEADLINE_MS : Math.max(DEADLINE_MS - waitedMs, DEADLINE_MS_MIN)
  const first = pooledByTransaction.has(client) ? withSettings(steps) : steps
  const results = new Sync(client, first, statements, timeoutMs).send()
  tracing.spans?.statements(statements, results)
  return results
}

/** Directly behind the begin, because the scope replaces some of the settings. No steps: a transaction goes on. */
function withSettings(steps: Step[]): Step[] {
  if (steps[0] === beginStep) return [beginStep, settingsStep, ...steps.slice(1)]
  return steps.length > 0 ? [settingsStep, ...steps] : steps
}

/** `with` may write, so it does not count. `select … for update` makes no sense outside of a transaction. */
export const onlyReads = ({ sql }: Statement) => /^\s*select\b/i.test(sql)

/**
 * Connections are counted per company, and outside of companies per account. A request whose account is not yet known to
 * be a member counts for the account: otherwise a stranger could use up the share of a company whose id they know.
 */
export const holderOf = ({ holder, companyId, accountId }: Scope) => holder ?? (companyId || accountId || undefined)

/** For writes of one statement. Those in a company wait for its lock, and background work may take long. */
export const mayShareConnections = ({ role, companyId, slow }: Scope) =>
  role === 'tenantry_account' && !companyId && !slow
