import { sql } from 'kysely'
import { asWorker } from '../../../database/scopes.ts'
import { isSigned, signCheckpoint } from '../chain/hashing.ts'
import { findCheckpoint, findHead, publicKeysOf, readingCompany } from '../chain/queries.ts'
import type { Sealing } from './sealing.ts'

/**
 * Signs with the current key what a previous one has signed, while that one is still known; afterwards nothing needs it
 * any more. Only what holds under the previous key: what does not is `left`, for a verification to name.
 */
export async function renewSignatures(sealing: Sealing, signal?: AbortSignal) {
  const done = { renewed: 0, left: 0 }
  for (const { kid } of sealing.keys.accepted) {
    if (kid === sealing.keys.current.kid) continue
    for await (const signed of signedWith(kid, sealing)) {
      if (signal?.aborted) return done
      if (await renew(sealing, signed)) done.renewed++
      else done.left++
    }
  }
  return done
}

interface Signed {
  company_id: string
  /** 0: the head. */
  number: number
}

const SIGNATURES_AT_ONCE = 500
const FIRST: Signed = { company_id: '00000000-0000-0000-0000-000000000000', number: 0 }

/** Each once, whatever becomes of those before it. */
async function* signedWith(kid: string, { database }: Sealing): AsyncGenerator<Signed> {
  for (let after = FIRST; ; ) {
    const { rows } = await sql<Signed>`
      select company_id, number
      from audit_signed_with(${kid}, ${after.company_id}::uuid, ${after.number}, ${SIGNATURES_AT_ONCE})`.execute(
      database.autocommit(asWorker),
    )
    yield* rows
    if (rows.length < SIGNATURES_AT_ONCE) return
    after = rows.at(-1) as Signed
  }
}

/** False: what is there does not hold. What somebody else has signed anew or removed meanwhile needs nothing more. */
async function renew({ database, keys }: Sealing, { company_id, number }: Signed): Promise<boolean> {
  const tx = readingCompany(database, company_id)
  const known = await (number === 0 ? findHead(tx) : findCheckpoint(tx, number))
  if (!known || known.kid === keys.current.kid) return true
  if (!isSigned(known, publicKeysOf(keys))) return false
  const { kid: _, signature: __, ...said } = known
  const { kid, signature } = signCheckpoint(keys.current, said)
  await sql`
    select renew_audit_signature(${company_id}::uuid, ${number}, ${known.signature}, ${kid}, ${signature})`.execute(
    database.autocommit(asWorker),
  )
  return true
}
