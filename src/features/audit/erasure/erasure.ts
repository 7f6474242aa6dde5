import { type RawBuilder, sql } from 'kysely'
import type { Database, Tx } from '../../../database/open.ts'
import { asWorker, inCompany } from '../../../database/scopes.ts'
import { NIL_UUID } from '../../../lib/ids.ts'
import { BATCH_RECORDS_MAX } from '../chain/batch.ts'
import { commitmentTo, type Part } from '../chain/commitments.ts'
import { openReader, type RecordRow, recordColumns, recordFrom } from '../chain/queries.ts'
import { BrokenChainError, sealCompany } from '../chain/seal-company.ts'
import type { AuditDeps } from '../deps.ts'
import { type AuditActor, type Changes, record } from '../records.ts'

/** Which parts of which records. */
export interface Selection {
  part: Part
  where: RawBuilder<unknown>
}

/** What the record of the erasure says. */
interface Note {
  operator: AuditActor
  accountId: string
  note: Changes
}

/** One erasure, company by company. */
export class Erasure {
  parts = 0
  /** The position of the record of the erasure in each company. Null: the chain is broken. */
  readonly #recordedAt = new Map<string, number | null>()
  readonly #deps: AuditDeps
  readonly #note: Note

  constructor(deps: AuditDeps, note: Note) {
    this.#deps = deps
    this.#note = note
  }

  get companies(): number {
    return [...this.#recordedAt.values()].filter((seq) => seq !== null).length
  }

  async eraseIn(company: string, selections: Selection[]): Promise<void> {
    for (const selection of selections) {
      for await (const rows of batchesOf(openReader(this.#deps.database, company), selection)) {
        const recordedAt = await this.#recordIn(company)
        if (recordedAt === null) return
        // What was sealed after that record is left to the next erasure, which has a record of its own.
        const erasable = rows.filter(({ seq }) => seq !== null && seq < recordedAt)
        this.parts += await eraseParts(this.#deps.database, company, selection.part, erasable)
      }
    }
  }

  /** The record of the erasure is sealed before anything is erased. */
  async #recordIn(company: string): Promise<number | null> {
    const known = this.#recordedAt.get(company)
    if (known !== undefined) return known
    const recordedAt = (await sealIntact(this.#deps, company)) ? await this.#record(company) : null
    this.#recordedAt.set(company, recordedAt)
    return recordedAt
  }

  async #record(company: string): Promise<number | null> {
    const { operator, accountId, note } = this.#note
    const subject = { type: 'account', id: accountId, label: '' } as const
    const tx = this.#deps.database.autocommit(inCompany(company, ''))
    await record(tx, operator, 'audit.erase', subject, note)
    await sealCompany(this.#deps, company)
    const { rows } = await sql<{ seq: number | null }>`
      select max(seq) as seq from audit_records
      where company_id = current_company() and target_id = ${accountId} and action = 'audit.erase'
        and seq is not null`.execute(openReader(this.#deps.database, company))
    return rows[0]?.seq ?? null
  }
}

async function* batchesOf(tx: Tx, { part, where }: Selection): AsyncGenerator<RecordRow[]> {
  const hasSalt = part === 'actor' ? sql`actor_salt is not null` : sql`target_salt is not null`
  for (let after = { created_at: '-infinity', id: NIL_UUID }; ; ) {
    const { rows } = await sql<RecordRow>`
      select ${recordColumns} from audit_records
      where company_id = current_company() and seq is not null and v = 2 and ${hasSalt} and ${where}
        and (created_at, id) > (${after.created_at}::timestamptz, ${after.id}::uuid)
      order by created_at, id limit ${BATCH_RECORDS_MAX}`.execute(tx)
    if (rows.length > 0) yield rows
    if (rows.length < BATCH_RECORDS_MAX) return
    after = rows.at(-1) as RecordRow
  }
}

/** The commitments are computed from what is there. If that was tampered with, they show it as the values did. */
async function eraseParts(database: Database, company: string, part: Part, rows: RecordRow[]): Promise<number> {
  const ids = rows.map(({ id }) => id)
  const commitments = rows.map((row) => commitmentTo(part, recordFrom(row)))
  // Not a statement of its own: two erasures may lock the same records in two orders, and a deadlock is tried again.
  const { rows: counts } = await database.write(asWorker, (tx) =>
    sql<{ erased: number }>`
      select erase_audit_parts(${company}::uuid, ${part}, ${ids}::uuid[], ${commitments}::text[]) as erased`.execute(
      tx,
    ),
  )
  return counts[0]?.erased ?? 0
}

/** False: the chain is broken. */
export async function sealIntact(deps: AuditDeps, company: string): Promise<boolean> {
  try {
    await sealCompany(deps, company)
    return true
  } catch (error) {
    if (error instanceof BrokenChainError) return false
    throw error
  }
}
