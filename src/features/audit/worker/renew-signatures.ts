import { sql } from 'kysely'
import { asWorker } from '../../../database/scopes.ts'
import { NIL_UUID } from '../../../lib/ids.ts'
import { isSignatureValid, signCheckpoint } from '../chain/hashing.ts'
import { findCheckpoint, findHead, openReader, publicKeysOf } from '../chain/queries.ts'
import type { AuditDeps } from '../deps.ts'

/**
 * Signs with the current key what a previous key has signed, while that key is still known; afterwards the previous key
 * is no longer needed. An invalid signature is counted and left for the verification to report.
 */
export async function renewSignatures(deps: AuditDeps, signal?: AbortSignal) {
  const counts = { renewed: 0, invalid: 0 }
  for (const { kid } of deps.keys.accepted) {
    if (kid === deps.keys.current.kid) continue
    for await (const signature of signaturesOf(kid, deps)) {
      if (signal?.aborted) return counts
      if (await renew(deps, signature)) counts.renewed++
      else counts.invalid++
    }
  }
  return counts
}

interface Signature {
  company_id: string
  /** Of a checkpoint; 0 is the head. */
  number: number
}

const PAGE_SIZE = 500
const FIRST: Signature = { company_id: NIL_UUID, number: 0 }

/** Each once, whatever happens to those before it. */
async function* signaturesOf(kid: string, { database }: AuditDeps): AsyncGenerator<Signature> {
  for (let after = FIRST; ; ) {
    const { rows } = await sql<Signature>`
      select company_id, number
      from audit_signed_with(${kid}, ${after.company_id}::uuid, ${after.number}, ${PAGE_SIZE})`.execute(
      database.autocommit(asWorker),
    )
    yield* rows
    if (rows.length < PAGE_SIZE) return
    after = rows.at(-1) as Signature
  }
}

/** False: the signature is not valid. One that was renewed or purged by another process meanwhile needs nothing more. */
async function renew({ database, keys }: AuditDeps, { company_id, number }: Signature): Promise<boolean> {
  const tx = openReader(database, company_id)
  const known = await (number === 0 ? findHead(tx) : findCheckpoint(tx, number))
  if (!known || known.kid === keys.current.kid) return true
  if (!isSignatureValid(known, publicKeysOf(keys))) return false
  const { kid: _, signature: __, ...content } = known
  const { kid, signature } = signCheckpoint(keys.current, content)
  await sql`
    select renew_audit_signature(${company_id}::uuid, ${number}, ${known.signature}, ${kid}, ${signature})`.execute(
    database.autocommit(asWorker),
  )
  return true
}
