import { createHash, type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { canonical } from './canonical.ts'
import { commitmentTo, openPartsOf } from './commitments.ts'
import { position, type SealedRecord } from './sealed-record.ts'

// How records are hashed and checkpoints signed (docs/decisions/0011-audit-chain.md). The service and the offline verifier
// (`tenantry audit verify --export`) share this file, so it needs no database and, but for signing, no secret.

const text = z.string()

/**
 * The signed end of a company's chain at some moment: no record before it can change without breaking it. `number` counts
 * the checkpoints that were kept so far, this one included. `begins` is where the chain starts: after the last record and
 * the last checkpoint that were purged, or at 0.
 */
export const Checkpoint = z.object({
  company: text,
  number: z.int(),
  ...position,
  begins: z.object({ ...position, number: z.int() }),
  time: text,
  kid: text,
  signature: text,
})
export type Checkpoint = z.output<typeof Checkpoint>
export type ChainStart = Checkpoint['begins']

export type PublicKeys = ReadonlyMap<string, KeyObject>

/** The hash that the first record of a chain follows; each company has its own. */
export function firstHash(company: string): string {
  return sha256(`tenantry audit chain v1\n${company}`)
}

type HashedRecord = Omit<SealedRecord, 'seq' | 'hash'>

/** Covers the hash before it, and so all records before it. */
export function recordHash(company: string, previousHash: string, seq: number, record: HashedRecord): string {
  const content = record.v === 1 ? contentOfVersion1(record) : contentOfVersion2(record)
  return sha256(`tenantry audit record v${record.v}\n${previousHash}\n${canonical([company, seq, ...content])}`)
}

function contentOfVersion1(record: HashedRecord): unknown[] {
  const { id, created_at, action, outcome, actor, target, changes, ip, user_agent, request_id } = record
  const fields = [id, created_at, action, outcome, actor.id, actor.name, actor.email, target.type, target.id]
  return [...fields, target.label, changes, ip, user_agent, request_id]
}

/** What is personal is covered by commitments to it, so that it can be erased. */
function contentOfVersion2(record: HashedRecord): unknown[] {
  const { id, created_at, action, outcome, actor, via, target } = record
  const { label, changes } = openPartsOf(record)
  const commitments = [commitmentTo('actor', record), commitmentTo('target', record)]
  const fields = [id, created_at, action, outcome, actor.id, actor.kind, via, target.type, target.id]
  return [...fields, label, changes, ...commitments]
}

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')

/** No token starts like this, so a signature of a checkpoint is never one of a token, nor the other way round. */
function signedBytes({ company, number, seq, hash, begins, time, kid }: Omit<Checkpoint, 'signature'>): Buffer {
  const fields = [company, number, seq, hash, begins.seq, begins.hash, begins.number, time, kid]
  return Buffer.from(`tenantry audit checkpoint v1\n${JSON.stringify(fields)}`)
}

export function signCheckpoint(
  { kid, signing }: { kid: string; signing: KeyObject },
  content: Omit<Checkpoint, 'kid' | 'signature'>,
): Checkpoint {
  const unsigned = { ...content, kid }
  return { ...unsigned, signature: sign(null, signedBytes(unsigned), signing).toString('base64url') }
}

export function isSignatureValid(checkpoint: Checkpoint, keys: PublicKeys): boolean {
  const key = keys.get(checkpoint.kid)
  if (!key) return false
  return verify(null, signedBytes(checkpoint), key, Buffer.from(checkpoint.signature, 'base64url'))
}
