import { createHash, type KeyObject, sign, verify } from 'node:crypto'

// What the service and the offline verifier (scripts/verify-audit.ts) must compute alike: it needs no database and no
// secret, but for signing.

/** A record as it is shown, with its place in the chain. `changes` as they are kept. */
export interface SealedRecord {
  seq: number
  hash: string
  id: string
  created_at: string
  action: string
  outcome: string
  actor: { id: string | null; name: string; email: string }
  target: { type: string; id: string; label: string }
  changes: unknown
  ip: string | null
  user_agent: string
  request_id: string
}

/** Where a chain begins: after what was purged, or at 0 with the hash of nothing. */
export interface Beginning {
  seq: number
  hash: string
  /** The last checkpoint that was purged. */
  number: number
}

/** The signed end of a company's chain at some moment: nothing before it can change without breaking it. */
export interface Checkpoint {
  company: string
  /** How many checkpoints were kept so far, this one included. */
  number: number
  seq: number
  hash: string
  begins: Beginning
  time: string
  kid: string
  signature: string
}

export type PublicKeys = ReadonlyMap<string, KeyObject>

/** What the first record's hash follows: no other company's chain begins like it. */
export function firstHash(company: string): string {
  return sha256(`tenantry audit chain v1\n${company}`)
}

/** The hash of a record at its place: over the hash before it, so over all that came before. */
export function hashOf(company: string, previousHash: string, seq: number, record: Omit<SealedRecord, 'seq' | 'hash'>) {
  const { id, created_at, action, outcome, actor, target, changes, ip, user_agent, request_id } = record
  const fields = [id, created_at, action, outcome, actor.id, actor.name, actor.email, target.type, target.id]
  const text = canonical([company, seq, ...fields, target.label, changes, ip, user_agent, request_id])
  return sha256(`tenantry audit record v1\n${previousHash}\n${text}`)
}

/** JSON in one spelling, whatever order its keys came in. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`).join(',')}}`
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** No token begins like this, so that a signature under one never passes for one under the other. */
function statementOf({ company, number, seq, hash, begins, time, kid }: Omit<Checkpoint, 'signature'>): Buffer {
  const fields = [company, number, seq, hash, begins.seq, begins.hash, begins.number, time, kid]
  return Buffer.from(`tenantry audit checkpoint v1\n${JSON.stringify(fields)}`)
}

export function signCheckpoint(
  { kid, signing }: { kid: string; signing: KeyObject },
  said: Omit<Checkpoint, 'kid' | 'signature'>,
): Checkpoint {
  const unsigned = { ...said, kid }
  return { ...unsigned, signature: sign(null, statementOf(unsigned), signing).toString('base64url') }
}

export function isSigned(checkpoint: Checkpoint, keys: PublicKeys): boolean {
  const key = keys.get(checkpoint.kid)
  if (!key) return false
  return verify(null, statementOf(checkpoint), key, Buffer.from(checkpoint.signature, 'base64url'))
}
