import type pg from 'pg'
import { isFollowUp, isReadOnly, LostSettingsError } from './errors.ts'
import { type Tx, txOver } from './queries.ts'
import { beginStep, endTransaction, type Scope, type Statement, scopeSteps, send } from './statements.ts'

/** Counts against the deadline of a statement in a transaction: one that has begun gets half a second for each. */
const WAITED_MS_MAX = 1400

/** One transaction, which begins with its first statement. `since`: when its request began to wait for the database. */
export class Transaction {
  readonly tx: Tx
  /** Called once it is committed. */
  readonly afterCommit: (() => void)[] = []
  readonly #client: pg.ClientBase
  #state: 'new' | 'begun' | 'ended' = 'new'
  #firstFailure: unknown

  constructor(client: pg.ClientBase, scope: Scope, since: number) {
    const slow = scope.slow ?? false
    this.#client = client
    const run = (statement: Statement) => {
      // The connection may already be in use for another transaction.
      if (this.#state === 'ended') throw new Error('The transaction had ended: something in it was not awaited')
      const waitedMs = performance.now() - since
      const opening = { steps: [beginStep, ...scopeSteps(scope)], slow, waitedMs }
      const options = this.#state === 'new' ? opening : { steps: [], slow, waitedMs: Math.min(waitedMs, WAITED_MS_MAX) }
      this.#state = 'begun'
      return send(client, statement, options).catch((error) => this.#rethrow(error))
    }
    this.tx = txOver(run, (callback) => this.afterCommit.push(callback))
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
      return isReadOnly(reason) || reason instanceof LostSettingsError ? reason : undefined
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
