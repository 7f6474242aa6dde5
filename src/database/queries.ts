import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryExecutor,
  type QueryResult,
} from 'kysely'
import type { Schema } from './schema.ts'
import type { Statement, StatementResult } from './statements.ts'

/** The handle for all reads and writes. It has a scope and, from Database.write, one transaction. */
export type Tx = Kysely<Schema>

type Run = (statement: Statement) => Promise<StatementResult>

type AfterCommit = (callback: () => void) => void

/**
 * Kysely's query builder with `run` in place of its own connections. Without `afterCommit` each statement is a transaction
 * of its own.
 */
export function txOver(run: Run, afterCommit: AfterCommit = (callback) => callback()): Tx {
  return new Kysely<Schema>({ config, driver, dialect, executor: new Executor(run, afterCommit) })
}

/** Calls back once what was done so far is committed; never when it is rolled back. For counting alone: it must not throw. */
export function afterCommit(tx: Tx, callback: () => void): void {
  executorOf(tx).afterCommit(callback)
}

/**
 * A hot statement: constant text with a parameter for each value, so that a call builds and compiles nothing. The types
 * are the author's promise, as with `sql<Row>`.
 *
 *     const findSession = statement<{ id: string }, [sessionId: string]>(`select id from sessions where id = $1`)
 *     const [session] = await findSession(tx, sessionId)
 */
export function statement<Row, Values extends unknown[] = []>(
  text: string,
): (tx: Tx, ...values: Values) => Promise<Row[]> {
  return async (tx, ...parameters) => (await executorOf(tx).run({ sql: text, parameters, isConstant: true })).rows
}

function executorOf(tx: Tx): Executor {
  const executor: QueryExecutor = tx.getExecutor()
  if (executor instanceof Executor) return executor
  throw new Error('The handle was not made by this service')
}

/** Runs what the builder has compiled, without the stages that it has for plugins and for its own connections. */
class Executor extends DefaultQueryExecutor {
  readonly run: Run
  readonly afterCommit: AfterCommit

  constructor(run: Run, afterCommit: AfterCommit) {
    super(compiler, adapter, { provideConnection: (use) => use(connectionOver(run)) })
    this.run = run
    this.afterCommit = afterCommit
  }

  override async executeQuery<Row>(query: CompiledQuery<unknown>): Promise<QueryResult<Row>> {
    return resultOf(await this.run(query))
  }
}

/** For what the builder does on a connection of its own, such as its transactions, which throw. */
function connectionOver(run: Run): DatabaseConnection {
  return {
    executeQuery: async (query) => resultOf(await run(query)),
    streamQuery() {
      throw new Error('Streams are not supported')
    },
  }
}

function resultOf<Row>({ rows, command, rowCount }: StatementResult): QueryResult<Row> {
  return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) }
}

/** Kysely's own transactions would have no effect here, so they throw. */
class NoTransactions extends DummyDriver {
  override async beginTransaction(): Promise<never> {
    throw new Error('Begin a transaction by Database.write')
  }
}

const compiler = new PostgresQueryCompiler()
const adapter = new PostgresAdapter()
const driver = new NoTransactions()
// Used for its SQL only; statements go through `run`.
const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('Statements go through `run`')) })
const config = { dialect }
