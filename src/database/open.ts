import type pg from 'pg'
import type { Target } from './connection-settings.ts'
import { type Connections, connect } from './connections.ts'
import { hasTimedOut, isFollowUp, isReadOnly, isRetryable, leavesConnectionUsable } from './errors.ts'
import { type Gate, type GatedReads, gateReads } from './gated-reads.ts'
import { type Tx, txOver } from './queries.ts'
import {
  beginStep,
  endTransaction,
  holderOf,
  mayShareConnections,
  onlyReads,
  type Scope,
  type Statement,
  type StatementResult,
  scopeSteps,
  send,
  sendAll,
} from './statements.ts'

export type { Statement, Tx }

const TRIES_MAX = 4

/** Sends one statement. `waitedMs`: how long its request has waited for the connection. */
type Run = (client: pg.ClientBase, waitedMs?: number) => Promise<StatementResult>

/**
 * The only access to the database. Every statement needs a scope (whose rows, with which rights): without one it has no
 * rights at all. See docs/architecture.md.
 */
export class Database {
  readonly #connections: Connections

  constructor(target: Target, connections: Connections = connect(target)) {
    this.#connections = connections
  }

  /**
   * A handle for reads, and for writes of one statement; each statement is a transaction of its own. Statements of many
   * requests share connections: those for reads, or those for writes outside of companies. Other writes get a connection
   * of their own.
   */
  autocommit(scope: Scope): Tx {
    return txOver((statement) => this.#send(scope, statement))
  }

  /** One statement whose text never changes, so that nothing composes it for each request. */
  async query<Row>(scope: Scope, statement: Statement): Promise<Row[]> {
    const { rows } = await this.#send(scope, { ...statement, isConstant: true })
    return rows
  }

  /**
   * A handle for reads that a gate decides on; the first of them travel behind the gate in one round trip. The gate is
   * SQL, with a scope of its own: see gateReads.
   */
  gatedReads(gate: Gate): GatedReads {
    return gateReads(gate, {
      together: (scope, statements) => this.#together(scope, statements),
      alone: (scope, statement) => this.#send(scope, statement),
    })
  }

  /**
   * Runs `work` in one transaction, which is opened with its first statement and committed before this resolves. After
   * a deadlock the whole of `work` runs again, so its only effects must be in the database.
   */
  write<Result>(scope: Scope, work: (tx: Tx) => Promise<Result>): Promise<Result> {
    return retrying(() => this.#transaction(scope, work))
  }

  #send(scope: Scope, statement: Statement): Promise<StatementResult> {
    const options = { steps: scopeSteps(scope), slow: scope.slow ?? false }
    const run: Run = (client, waitedMs = 0) => send(client, statement, { ...options, waitedMs })
    const isRead = !options.slow && onlyReads(statement)
    return retrying(() => (isRead ? this.#connections.shared((client) => run(client)) : this.#write(scope, run)))
  }

  #together(scope: Scope, statements: Statement[]): Promise<PromiseSettledResult<StatementResult>[]> {
    const options = { steps: scopeSteps(scope), slow: false }
    return retrying(() =>
      this.#connections.shared(async (client) => {
        const settled = await Promise.allSettled(sendAll(client, statements, options))
        for (const { reason } of settled as { reason?: unknown }[])
          if (reason && (isRetryable(reason) || !leavesConnectionUsable(reason))) throw reason
        return settled
      }),
    )
  }

  async #write(scope: Scope, run: Run): Promise<StatementResult> {
    const since = performance.now()
    try {
      const shared = mayShareConnections(scope) && this.#connections.sharedForWrite(holderOf(scope), run)
      if (shared) return await shared
    } catch (error) {
      if (!hasTimedOut(error)) throw error
    }
    return this.#onExclusive(scope, run, since)
  }

  async #onExclusive(scope: Scope, run: Run, since: number): Promise<StatementResult> {
    const { client, waitedMs } = await this.#exclusive(scope, since)
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
    const { client, waitedMs } = await this.#exclusive(scope, performance.now())
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

  async #exclusive(scope: Scope, since: number): Promise<{ client: pg.PoolClient; waitedMs: number }> {
    const client = await this.#connections.exclusive(holderOf(scope))
    return { client, waitedMs: performance.now() - since }
  }

  /** Waits for statements under way and closes all connections. */
  async close(): Promise<void> {
    await this.#connections.close()
  }
}

async function retrying<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === TRIES_MAX || !isRetryable(error)) throw error
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
      // The connection may already be in use for another transaction.
      if (this.#state === 'ended') throw new Error('The transaction had ended: something in it was not awaited')
      const opening = { steps: [beginStep, ...scopeSteps(scope)], slow, waitedMs }
      const options = this.#state === 'new' ? opening : { steps: [], slow }
      this.#state = 'begun'
      return send(client, statement, options).catch((error) => this.#rethrow(error))
    })
  }

  /** Statements sent after one that fails are refused without a reason, so they get the error of the failed one. */
  #rethrow(error: unknown): never {
    this.#firstFailure ??= error
    throw isFollowUp(error) ? this.#firstFailure : error
  }

  async commit(): Promise<void> {
    if (this.#end() === 'new') return
    // The server answers the COMMIT of a failed transaction with ROLLBACK, and without an error.
    if ((await endTransaction(this.#client, 'commit')) !== 'COMMIT')
      throw new Error('The transaction had failed before its commit')
  }

  /** Returns the error after which the connection can't be used again; undefined: it can. */
  async rollBack(reason: Error): Promise<Error | undefined> {
    if (this.#end() === 'new') return undefined
    try {
      await endTransaction(this.#client, 'rollback')
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
