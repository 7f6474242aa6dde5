import { sql } from 'kysely'
import { firstHash, recordHash, signCheckpoint } from '../../src/features/audit/chain/hashing.ts'
import {
  findHead,
  openReader,
  type RecordRow,
  recordColumns,
  recordFrom,
} from '../../src/features/audit/chain/queries.ts'
import type { TestApp } from './app.ts'

/** Seals what is unsealed in the form of release 0.2.0, as a node of it does beside this version. At most 1,000 records. */
export async function sealAsVersion1({ database, db, keys }: TestApp, company: string): Promise<void> {
  await db.query(
    `update audit_records set v = 1, actor_kind = null, via_type = null, via_id = null where company_id = $1 and seq is null`,
    [company],
  )
  const tx = openReader(database, company)
  const head = await findHead(tx)
  const { rows } = await sql<RecordRow>`select ${recordColumns} from audit_records_unsealed(1000, 1000000)`.execute(tx)
  const begins = head?.begins ?? { seq: 0, hash: firstHash(company), number: 0 }
  const start = head?.seq ?? 0
  let hash = head?.hash ?? begins.hash
  const hashes = rows.map((row, index) => {
    hash = recordHash(company, hash, start + index + 1, recordFrom(row))
    return hash
  })
  const seq = start + rows.length
  const number = (head?.number ?? 0) + 1
  const next = signCheckpoint(keys.current, { company, number, seq, hash, begins, time: new Date().toISOString() })
  await db.query('select seal_audit_records($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)', [
    company,
    head?.signature ?? null,
    rows.map(({ id }) => id),
    hashes,
    number,
    seq,
    next.time,
    next.kid,
    next.signature,
    begins.hash,
  ])
}
