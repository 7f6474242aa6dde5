import { sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { newId } from '../../../lib/ids.ts'

const LEASE_MS = 15_000
/** What is left of it when it is taken anew: longer than a round may take to notice. */
const RENEW_MS = 8000

/** Which of several processes does the work; when that one dies, another has it within seconds. */
export class Lease {
  readonly #database: Database
  readonly #holder = newId()
  #heldUntil = 0

  constructor(database: Database) {
    this.#database = database
  }

  /** Whether it is ours, for the next seconds at least. */
  async hold(): Promise<boolean> {
    const now = performance.now()
    if (now < this.#heldUntil - RENEW_MS) return true
    const { rows } = await sql`
      update audit_lease set holder_id = ${this.#holder}::uuid, expires_at = now() + make_interval(secs => ${LEASE_MS / 1000})
      where holder_id = ${this.#holder}::uuid or expires_at < now() returning singleton`.execute(
      this.#database.autocommit(asWorker),
    )
    this.#heldUntil = rows.length > 0 ? now + LEASE_MS : 0
    return rows.length > 0
  }

  /** So that another process need not wait until it is over. */
  async release(): Promise<void> {
    if (this.#heldUntil === 0) return
    await sql`update audit_lease set expires_at = now() where holder_id = ${this.#holder}::uuid`.execute(
      this.#database.autocommit(asWorker),
    )
  }
}
