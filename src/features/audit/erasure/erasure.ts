import { type RawBuilder, sql } from 'kysely'
import type { Database, Tx } from '../../../database/open.ts'
import { asWorker, inCompany } from '../../../database/scopes.ts'
import { BATCH_RECORDS_MAX } from '../chain/batch.ts'
import { commitmentTo, type Part } from '../chain/commitments.ts'
import { POSITIONS_MAX, positionsOf } from '../chain/erasures.ts'
import { openReader, type RecordRow, recordColumns, recordFrom } from '../chain/queries.ts'
import { BrokenChainError, sealCompany } from '../chain/seal-company.ts'
import type { AuditDeps } from '../deps.ts'
import { type AuditActor, type Changes, record } from '../records.ts'
import { hasSalt, partsOf, type Selection } from './selections.ts'

/** What the record of the erasure says. */
interface Note {
  operator: AuditActor
  accountId: string
  note: Changes
}

/** One erasure, company by company. What is erased is recorded and sealed before. */
export class Erasure {
  parts = 0
  /** The position of the first record of the erasure in each company. Null: the chain is broken. */
  readonly #firstRecordedAt = new Map<string, number | null>()
  readonly #deps: AuditDeps
  readonly #note: Note

  constructor(deps: AuditDeps, note: Note) {
    this.#deps = deps
    this.#note = note
  }

  get companies(): number {
    return [...this.#firstRecordedAt.values()].filter((seq) => seq !== null).length
  }

  async eraseIn(company: string, selections: Selection[]): Promise<void> {
    for (const selection of selections) {
      for await (const rows of batchesOf(openReader(this.#deps.database, company), selection)) {
        const recordedAt = await this.#recordBatch(company, selection, rows)
        if (recordedAt === null) return
        // What was sealed after that record is left to the next erasure, which has a record of its own.
        const erasable = rows.filter(({ seq }) => seq !== null && seq < recordedAt)
        this.parts += await eraseParts(this.#deps.database, company, selection.part, erasable)
      }
    }
  }

  /** Who is named by the id is found by it. Where an address alone did so, nothing but the position tells whose part it was. */
  async #recordBatch(company: string, { part, isByAddress }: Selection, rows: RecordRow[]): Promise<number | null> {
    const known = this.#firstRecordedAt.get(company)
    if (known === null || (known !== undefined && !isByAddress)) return known
    const changes = isByAddress ? positionsOf(part, rows) : {}
    const recordedAt = (await sealIntact(this.#deps, company)) ? await this.#record(company, changes) : null
    if (known === undefined) this.#firstRecordedAt.set(company, recordedAt)
    return recordedAt
  }

  async #record(company: string, changes: Changes): Promise<number | null> {
    const { operator, accountId, note } = this.#note
    const subject = { type: 'account', id: accountId, label: '' } as const
    const tx = this.#deps.database.autocommit(inCompany(company, ''))
    await record(tx, operator, 'audit.erase', subject, { ...note, ...changes })
    await sealCompany(this.#deps, company)
    const { rows } = await sql<{ seq: number | null }>`
      select max(seq) as seq from audit_records
      where company_id = current_company() and target_id = ${accountId} and action = 'audit.erase'
        and seq is not null`.execute(openReader(this.#deps.database, company))
    return rows[0]?.seq ?? null
  }
}

async function* batchesOf(tx: Tx, selection: Selection): AsyncGenerator<RecordRow[]> {
  for await (const isInPart of partsOf(tx, selection.kind)) yield* batchesIn(tx, selection, isInPart)
}

async function* batchesIn(
  tx: Tx,
  { part, kind, where, isByAddress }: Selection,
  isInPart: RawBuilder<unknown>,
): AsyncGenerator<RecordRow[]> {
  const limit = isByAddress ? POSITIONS_MAX : BATCH_RECORDS_MAX
  for (let isNext = sql`true`; ; ) {
    const { rows } = await sql<RecordRow>`
      select ${recordColumns} from audit_records
      where company_id = current_company() and seq is not null and v = 2 and ${hasSalt(part)} and ${where}
        and ${isInPart} and ${isNext}
      order by ${kind.order} limit ${limit}`.execute(tx)
    if (rows.length > 0) yield rows
    if (rows.length < limit) return
    isNext = kind.behind(rows.at(-1) as RecordRow)
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
