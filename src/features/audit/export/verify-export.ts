import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { BATCH_RECORDS_MAX, type ChainBatch } from '../chain/batch.ts'
import type { Checkpoint, PublicKeys } from '../chain/hashing.ts'
import { type ChainFault, ChainVerifier } from '../chain/verifier.ts'
import { type ExportLine, readLines } from './ndjson.ts'

export interface OfflineVerdict {
  valid: boolean
  text: string
}

const BATCH_RECORDS_LIMIT = 10 * BATCH_RECORDS_MAX

/** Verifies an exported file of any length with the public keys alone, and says in words what it found. */
export async function verifyExport(file: string, jwks: { keys?: unknown }): Promise<OfflineVerdict> {
  const keys = publicKeysFrom(jwks)
  const lines = readLines(file)
  const { value: first } = await lines.next()
  if (first?.kind === 'filter')
    return invalid('This export is filtered, so it can’t be verified. Export without a filter.')
  if (first?.kind !== 'checkpoint')
    return invalid('This is not a complete export: its first line is not the signed end of a chain.')

  const head = first.checkpoint
  const verifier = new ChainVerifier(head, keys)
  let records = 0
  for await (const batch of inBatches(lines)) {
    if (batch === 'invalid') return invalid(`Line ${records + 2} or one soon after it is not a line of an export.`)
    records += batch.records.length
    verifier.add(batch)
    if (verifier.fault) break
  }
  const fault = verifier.finish() ?? (records === head.seq - head.begins.seq ? undefined : afterEnd(head))
  if (fault) return invalid(faultSentence(fault, keys, head))
  if (verifier.firstUnrecordedErasure) return invalid(faultSentence(verifier.firstUnrecordedErasure, keys, head))
  if (verifier.firstMisdated) return invalid(misdatedSentence(verifier.firstMisdated, verifier.misdated))
  return { valid: true, text: validSentence(head, records) }
}

const invalid = (text: string): OfflineVerdict => ({ valid: false, text })
const afterEnd = ({ seq }: Checkpoint): ChainFault => ({ seq: seq + 1, id: null, reason: 'inserted' })

function publicKeysFrom({ keys }: { keys?: unknown }): PublicKeys {
  if (!Array.isArray(keys) || keys.length === 0) throw new Error('The file of --keys is not a key set (JWKS)')
  return new Map(
    keys.map((jwk: JsonWebKey & { kid?: string }) => [String(jwk.kid), createPublicKey({ key: jwk, format: 'jwk' })]),
  )
}

async function* inBatches(lines: AsyncIterable<ExportLine>): AsyncGenerator<ChainBatch | 'invalid'> {
  let batch: ChainBatch = { records: [], checkpoints: [] }
  for await (const line of lines) {
    if (line.kind === 'record') batch.records.push(line.record)
    else if (line.kind === 'checkpoint') batch.checkpoints.push(line.checkpoint)
    else {
      yield batch
      yield 'invalid'
      return
    }
    // A checkpoint comes after its record and must be in the same batch; in our files there is one soon enough.
    const { length } = batch.records
    if (length >= BATCH_RECORDS_LIMIT || (length >= BATCH_RECORDS_MAX && line.kind === 'checkpoint')) {
      yield batch
      batch = { records: [], checkpoints: [] }
    }
  }
  yield batch
}

const faultTexts: Record<ChainFault['reason'], string> = {
  changed: 'was changed',
  removed: 'was removed',
  inserted: 'was inserted',
  reordered: 'is not at its original position',
  cut_off: 'and all records after it were cut off',
  rewritten: 'or one after it was changed, and the hashes were recomputed',
  checkpoint_removed: 'comes after a checkpoint that was removed',
  checkpoint_forged: 'comes after a checkpoint that is forged',
  head_removed: 'has no signed end',
  head_forged: 'is the end of the chain, and its signature is forged',
  backdated: 'was inserted with a false time, more than an hour before that of an earlier record',
  unknown_version: 'has a form that this version does not know: verify it with a newer one',
  erasure_unrecorded: 'shows no person, and no later record tells of an erasure',
  postdated: 'was inserted with a false time, more than an hour after that of the signature over it',
}

function faultSentence({ seq, id, reason }: ChainFault, keys: PublicKeys, head: Checkpoint): string {
  if (reason === 'head_forged' && !keys.has(head.kid))
    return `INVALID: the key ${head.kid} that signed this export is not in the key set.`
  return `INVALID: record ${seq}${id ? ` (${id})` : ''} ${faultTexts[reason]}.`
}

function misdatedSentence({ seq, id, reason }: ChainFault, count: number): string {
  const others = count > 1 ? `\n${count - 1} more records have a false time.` : ''
  return `INVALID: record ${seq} (${id}) ${faultTexts[reason]}.\nApart from that, the chain is intact.${others}`
}

function validSentence({ company, seq, hash, begins, time }: Checkpoint, records: number): string {
  const purged = begins.seq > 0 ? `\nRecords up to ${begins.seq} were purged before.` : ''
  return `Valid: ${records} records of company ${company}, signed up to record ${seq} (${hash}) at ${time}.${purged}`
}
