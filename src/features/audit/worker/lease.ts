import { sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { newId } from '../../../lib/ids.ts'

const LEASE_MS = 15_000
/** Renewed when less than this is left, which is longer than a batch takes. */
const RENEW_MS = 8000

/** Lets one of several processes work; when that one dies, another takes over within seconds. */
export class Lease {
  readonly #database: Database
  readonly #holder = newId()
  #heldUntil = 0

  constructor(database: Database) {
    this.#database = database
  }

  /** Takes or renews the lease. True: this process has it for the next seconds at least. */
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

  /** Lets another process take over at once. */
  async release(): Promise<void> {
    if (this.#heldUntil === 0) return
    this.#heldUntil = 0
    await sql`update audit_lease set expires_at = now() where holder_id = ${this.#holder}::uuid`.execute(
      this.#database.autocommit(asWorker),
    )
  }
}
