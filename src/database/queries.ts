import {
  type DatabaseConnection,
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Schema } from './schema.ts'
import type { Statement, StatementResult } from './statements.ts'

/** The handle for all reads and writes. It has a scope and, from Database.write, one transaction. */
export type Tx = Kysely<Schema>

/** Kysely's query builder with `run` in place of its own connections. */
export function txOver(run: (statement: Statement) => Promise<StatementResult>): Tx {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: Statement): Promise<QueryResult<Row>> {
      const { rows, command, rowCount } = await run(query)
      return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) }
    },
    streamQuery() {
      throw new Error('Streams are not supported')
    },
  }
  const executor = new DefaultQueryExecutor(compiler, adapter, { provideConnection: (use) => use(connection) })
  return new Kysely<Schema>({ config: { dialect }, driver, dialect, executor })
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
