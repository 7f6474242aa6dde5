import type pg from 'pg'
import { type Connections, connect } from './connections.ts'
import { isFollowUp, isReadOnly, leavesConnectionUsable, mayBeTriedAgain } from './errors.ts'
import { type Tx, txOver } from './queries.ts'
import type { Target } from './session.ts'
import { beginStep, type Scope, type Statement, scopeSteps, send } from './statements.ts'

export type { Tx }

const TRIES_MAX = 4

/**
 * The one way to the database: with a scope (whose rows, with which rights), because a statement without one has no
 * rights at all.
 */
export class Database {
  readonly #connections: Connections

  constructor(target: Target, connections: Connections = connect(target)) {
    this.#connections = connections
  }

  /**
   * For reading, and for writes of one statement: each is a transaction of its own. Reads of many requests share a
   * connection. A write has one to itself, because it may wait for a lock and would hold up everybody's reads.
   */
  autocommit(scope: Scope): Tx {
    const manner = { steps: scopeSteps(scope), slow: scope.slow ?? false }
    return txOver((statement) => {
      const run = (client: pg.ClientBase, waitedMs = 0) => send(client, statement, { ...manner, waitedMs })
      const shared = !manner.slow && onlyReads(statement)
      return untilItHolds(() => (shared ? this.#connections.shared((client) => run(client)) : this.#alone(scope, run)))
    })
  }

  /**
   * For writing: one transaction, opened together with its first statement and committed before this resolves. After a
   * deadlock the whole of `work` runs again, so it must have no effects but those in the database.
   */
  write<Result>(scope: Scope, work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return untilItHolds(() => this.#transaction(scope, work))
  }

  async #alone(
    scope: Scope,
    run: (client: pg.ClientBase, waitedMs: number) => Promise<pg.QueryResult>,
  ): Promise<pg.QueryResult> {
    const { client, waitedMs } = await this.#exclusive(scope)
    let broken: Error | undefined
    try {
      return await run(client, waitedMs)
    } catch (error) {
      if (!leavesConnectionUsable(error)) broken = error as Error
      throw error
    } finally {
      client.release(broken)
    }
  }

  async #transaction<Result>(scope: Scope, work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const { client, waitedMs } = await this.#exclusive(scope)
    const transaction = new Transaction(client, scope, waitedMs)
    let broken: Error | undefined
    try {
      const result = await work(transaction.tx)
      await transaction.commit()
      return result
    } catch (error) {
      broken = await transaction.rollBack(error as Error)
      throw error
    } finally {
      client.release(broken)
    }
  }

  /**
   * Counted against the company; outside of one against the account, also where it names a company that it will enter
   * once it is found to belong there: else a stranger could use up the share of a company by its id.
   */
  async #exclusive({ companyId, accountId }: Scope): Promise<{ client: pg.PoolClient; waitedMs: number }> {
    const since = performance.now()
    const client = await this.#connections.exclusive(companyId || accountId || undefined)
    return { client, waitedMs: performance.now() - since }
  }

  async close(): Promise<void> {
    await this.#connections.close()
  }
}

/** `select … for update` has no sense outside of a transaction, and `with` may write: what is left waits for nobody. */
const onlyReads = ({ sql }: Statement) => /^\s*select\b/i.test(sql)

async function untilItHolds<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === TRIES_MAX || !mayBeTriedAgain(error)) throw error
    }
  }
}

class Transaction {
  readonly tx: Tx
  readonly #client: pg.ClientBase
  #state: 'new' | 'begun' | 'ended' = 'new'
  #firstFailure: unknown

  constructor(client: pg.ClientBase, scope: Scope, waitedMs: number) {
    const slow = scope.slow ?? false
    this.#client = client
    this.tx = txOver((statement) => {
      // The connection may already serve somebody else's transaction.
      if (this.#state === 'ended') throw new Error('The transaction had ended: something in it was not awaited')
      const opening = { steps: [beginStep, ...scopeSteps(scope)], slow, waitedMs }
      const manner = this.#state === 'new' ? opening : { steps: [], slow }
      this.#state = 'begun'
      return send(client, statement, manner).catch((error) => this.#rethrow(error))
    })
  }

  /** Of statements that were under way together, those after the one that failed are refused: it alone tells why. */
  #rethrow(error: unknown): never {
    this.#firstFailure ??= error
    throw isFollowUp(error) ? this.#firstFailure : error
  }

  async commit(): Promise<void> {
    if (this.#end() === 'new') return
    // The server answers the COMMIT of a failed transaction with ROLLBACK, and without an error.
    const { command } = await this.#client.query({ name: 'commit', text: 'commit' })
    if (command !== 'COMMIT') throw new Error('The transaction had failed before its commit')
  }

  /** Gives the error after which the connection can't be used again. */
  async rollBack(reason: Error): Promise<Error | undefined> {
    if (this.#end() === 'new') return undefined
    try {
      await this.#client.query('rollback')
      return isReadOnly(reason) ? reason : undefined
    } catch (failure) {
      return failure as Error
    }
  }

  #end(): 'new' | 'begun' | 'ended' {
    const before = this.#state
    this.#state = 'ended'
    return before
  }
}
