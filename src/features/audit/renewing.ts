import { sql } from 'kysely'
import { asWorker } from '../../database/tenancy.ts'
import { isSigned, signCheckpoint } from './chain.ts'
import { findCheckpoint, findHead, publicKeysOf, readingCompany } from './heads.ts'
import type { Sealing } from './sealing.ts'

const SIGNATURES_AT_ONCE = 500

/**
 * Signs with the current key what the previous one has signed, while that one is still known; afterwards nothing needs it
 * any more. Only what holds under the previous key: what does not is left for a verification to name. How many are done.
 */
export async function renewSignatures(sealing: Sealing): Promise<number> {
  const { database, keys } = sealing
  const previous = keys.accepted.filter(({ kid }) => kid !== keys.current.kid).map(({ kid }) => kid)
  if (previous.length === 0) return 0
  const { rows } = await sql<{ company_id: string; number: number | null }>`
    select company_id, number from audit_signed_with(${previous}::text[], ${SIGNATURES_AT_ONCE})
  `.execute(database.autocommit(asWorker))
  let done = 0
  for (const { company_id, number } of rows) if (await renew(sealing, company_id, number)) done++
  return done
}

async function renew({ database, keys }: Sealing, companyId: string, number: number | null): Promise<boolean> {
  const tx = readingCompany(database, companyId)
  const known = await (number === null ? findHead(tx) : findCheckpoint(tx, number))
  if (!known || !isSigned(known, publicKeysOf(keys))) return false
  const { kid: _, signature: __, ...said } = known
  const { kid, signature } = signCheckpoint(keys.current, said)
  const { rows } = await sql<{ renewed: boolean }>`
    select renew_audit_signature(${companyId}::uuid, ${number}, ${known.signature}, ${kid}, ${signature}) as renewed
  `.execute(database.autocommit(asWorker))
  return rows[0]?.renewed ?? false
}
