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
import type pg from 'pg'
import type { Schema } from './schema.ts'
import type { Statement } from './statements.ts'

/** The handle through which everything is read and written: a scope and, for writes, one transaction. */
export type Tx = Kysely<Schema>

/** The query builder, over whatever runs its statements. */
export function txOver(run: (statement: Statement) => Promise<pg.QueryResult>): Tx {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: Statement): Promise<QueryResult<Row>> {
      const { rows, command, rowCount } = await run(query)
      return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) }
    },
    streamQuery() {
      throw new Error('A shared connection streams nothing')
    },
  }
  const executor = new DefaultQueryExecutor(compiler, adapter, { provideConnection: (use) => use(connection) })
  return new Kysely<Schema>({ config: { dialect }, driver, dialect, executor })
}

/** The builder's own transactions would silently be none. */
class NoTransactions extends DummyDriver {
  override async beginTransaction(): Promise<never> {
    throw new Error('Transactions are begun by Database.write')
  }
}

const compiler = new PostgresQueryCompiler()
const adapter = new PostgresAdapter()
const driver = new NoTransactions()
// Asked for nothing but its SQL; statements go through `run`.
const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('No pool here')) })
