import type pg from 'pg'
import type { Target } from './connection-settings.ts'
import { type ConnectionStats, type Connections, connect } from './connections.ts'
import { hasTimedOut, isRetryable, leavesConnectionUsable } from './errors.ts'
import { type Gate, type GatedReads, gateReads } from './gated-reads.ts'
import { type Tx, txOver } from './queries.ts'
import { isTooLate, Retries } from './retries.ts'
import {
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
import { Transaction } from './transaction.ts'

export type { Statement, Tx }

/** Sends one statement. `waitedMs`: how long its request has waited for the connection. */
type Run = (client: pg.ClientBase, waitedMs?: number) => Promise<StatementResult>

/**
 * The only access to the database. Every statement needs a scope (whose rows, with which rights): without one it has no
 * rights at all. See docs/architecture.md.
 */
export class Database {
  readonly #connections: Connections
  readonly #retries = new Retries()

  constructor(target: Target, connections: Connections = connect(target)) {
    this.#connections = connections
  }

  /** Of this process, since its start. `retries`: statements and transactions that ran again, after a deadlock mostly. */
  get stats(): ConnectionStats & { retries: number } {
    return { ...this.#connections.stats(), retries: this.#retries.count }
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
    return this.#retries.run((since) => this.#transaction(scope, work, since))
  }

  #send(scope: Scope, statement: Statement): Promise<StatementResult> {
    const options = { steps: scopeSteps(scope), slow: scope.slow ?? false }
    const run: Run = (client, waitedMs = 0) => send(client, statement, { ...options, waitedMs })
    const isRead = !options.slow && onlyReads(statement)
    return this.#retries.run((since) =>
      isRead
        ? this.#connections.shared((client) => run(client, performance.now() - since))
        : this.#write(scope, run, since),
    )
  }

  #together(scope: Scope, statements: Statement[]): Promise<PromiseSettledResult<StatementResult>[]> {
    const options = { steps: scopeSteps(scope), slow: false }
    return this.#retries.run((since) =>
      this.#connections.shared(async (client) => {
        const waitedMs = performance.now() - since
        const settled = await Promise.allSettled(sendAll(client, statements, { ...options, waitedMs }))
        for (const { reason } of settled as { reason?: unknown }[])
          if (reason && (isRetryable(reason) || !leavesConnectionUsable(reason))) throw reason
        return settled
      }),
    )
  }

  async #write(scope: Scope, run: Run, since: number): Promise<StatementResult> {
    const runShared = (client: pg.ClientBase) => run(client, performance.now() - since)
    try {
      const shared = mayShareConnections(scope) && this.#connections.sharedForWrite(holderOf(scope), runShared)
      if (shared) return await shared
    } catch (error) {
      if (!hasTimedOut(error) || isTooLate(since)) throw error
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

  async #transaction<Result>(scope: Scope, work: (tx: Tx) => Promise<Result>, since: number): Promise<Result> {
    const { client } = await this.#exclusive(scope, since)
    const transaction = new Transaction(client, scope, since)
    let broken: Error | undefined
    try {
      const result = await work(transaction.tx)
      await transaction.commit()
      for (const callback of transaction.afterCommit) callback()
      return result
    } catch (error) {
      broken = await transaction.rollBack(error as Error)
      throw error
    } finally {
      client.release(broken)
    }
  }

  async #exclusive(scope: Scope, since: number): Promise<{ client: pg.PoolClient; waitedMs: number }> {
    const client = await this.#connections.exclusive(holderOf(scope), since)
    return { client, waitedMs: performance.now() - since }
  }

  /** Waits for statements under way and closes all connections. */
  async close(): Promise<void> {
    await this.#connections.close()
  }
}
