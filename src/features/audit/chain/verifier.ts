import type { ChainBatch } from './batch.ts'
import { Erasures } from './erasures.ts'
import { type ChainStart, type Checkpoint, isSignatureValid, type PublicKeys, recordHash } from './hashing.ts'
import { RECORD_VERSION, type SealedRecord } from './sealed-record.ts'

export const faultReasons = [
  'changed',
  'removed',
  'inserted',
  'reordered',
  'cut_off',
  'rewritten',
  'checkpoint_removed',
  'checkpoint_forged',
  'head_removed',
  'head_forged',
  'backdated',
  'postdated',
  'unknown_version',
  'erasure_unrecorded',
] as const

/** Where a chain is not as it was sealed, or where a record has a false time. `id` is null when no one record is at fault. */
export interface ChainFault {
  seq: number
  id: string | null
  reason: (typeof faultReasons)[number]
}

/**
 * Transactions, clocks of several machines and the wait for the sealer differ by seconds. A record whose time is an hour
 * off was not written by the service.
 */
export const TIME_TOLERANCE_MS = 3_600_000

/** Verifies a chain batch by batch, up to its signed end, and stops at the first fault. */
export class ChainVerifier {
  readonly #head: Checkpoint
  readonly #keys: PublicKeys
  /** The last record whose hash follows from the start. */
  #last: Pick<ChainStart, 'seq' | 'hash'>
  /** The number of the last checkpoint that agreed. */
  #number: number
  /** Checkpoints whose record has not come yet. */
  #pending: Checkpoint[] = []
  /** The first record after the last checkpoint that agreed. */
  #firstUnconfirmed: { seq: number; id: string | null }
  #fault: ChainFault | undefined
  #latestTime = Number.NEGATIVE_INFINITY
  #firstMisdated: ChainFault | undefined
  #misdated = 0
  readonly #erasures = new Erasures()

  constructor(head: Checkpoint, keys: PublicKeys) {
    this.#head = head
    this.#keys = keys
    this.#last = { seq: head.begins.seq, hash: head.begins.hash }
    this.#number = head.begins.number
    this.#firstUnconfirmed = { seq: head.begins.seq + 1, id: null }
    if (!isSignatureValid(head, keys)) this.#fault = { seq: head.seq, id: null, reason: 'head_forged' }
  }

  get fault(): ChainFault | undefined {
    return this.#fault
  }

  /**
   * The first record that is part of an intact chain but was inserted with a false time. Any other fault is reported
   * instead, so that an inserted record can't hide what is done to the chain later.
   */
  get firstMisdated(): ChainFault | undefined {
    return this.#firstMisdated
  }

  get misdated(): number {
    return this.#misdated
  }

  /** The first record without a person whose erasure no later record tells. After the last batch. */
  get firstUnrecordedErasure(): ChainFault | undefined {
    const first = this.#erasures.firstUnrecorded
    return first && { ...first, reason: 'erasure_unrecorded' }
  }

  /** Everything before is verified, so a chain may start here. */
  get verified(): ChainStart {
    return { ...this.#last, number: this.#number }
  }

  add({ records, checkpoints }: ChainBatch): void {
    this.#pending.push(...checkpoints)
    for (const [index, record] of records.entries()) {
      if (this.#fault) return
      const fault = this.#checkRecord(records, index)
      if (!fault) this.#checkTime(record)
      if (!fault) this.#erasures.add(record)
      this.#fault = fault ?? this.#checkCheckpoints(record)
    }
  }

  /** To be called after the last batch: the first fault of the whole chain. */
  finish(): ChainFault | undefined {
    const { seq, hash, number } = this.#head
    if (this.#fault) return this.#fault
    if (this.#last.seq < seq) return { seq: this.#last.seq + 1, id: null, reason: 'cut_off' }
    const [left] = this.#pending
    if (left) return { seq: left.seq, id: null, reason: 'checkpoint_forged' }
    if (this.#last.hash !== hash) return { ...this.#firstUnconfirmed, reason: 'rewritten' }
    if (this.#number !== number) return { seq, id: null, reason: 'checkpoint_removed' }
    return undefined
  }

  #checkRecord(records: SealedRecord[], index: number): ChainFault | undefined {
    const record = records[index] as SealedRecord
    const seq = this.#last.seq + 1
    if (record.seq > seq) return { seq, id: null, reason: 'removed' }
    if (record.seq < seq || seq > this.#head.seq) return { seq: record.seq, id: record.id, reason: 'inserted' }
    if (record.v > RECORD_VERSION) return { seq, id: record.id, reason: 'unknown_version' }
    const hash = this.#hashOf(record, this.#last.hash, seq)
    if (hash !== record.hash) return { seq, id: record.id, reason: this.#reasonOfMismatch(records, index) }
    this.#last = { seq, hash }
    if (this.#firstUnconfirmed.seq === seq) this.#firstUnconfirmed = { seq, id: record.id }
    return undefined
  }

  /** A record is written before the checkpoint that covers it is signed, and records are sealed in the order of their times. */
  #checkTime({ seq, id, created_at }: SealedRecord): void {
    const time = timeOf(created_at)
    const signedAt = Date.parse((this.#pending[0] ?? this.#head).time)
    const isPostdated = time > signedAt + TIME_TOLERANCE_MS
    const isBackdated = time < this.#latestTime - TIME_TOLERANCE_MS
    if (!isPostdated) this.#latestTime = Math.max(this.#latestTime, time)
    if (!isPostdated && !isBackdated) return
    this.#misdated++
    this.#firstMisdated ??= { seq, id, reason: isPostdated ? 'postdated' : 'backdated' }
  }

  #checkCheckpoints({ seq }: SealedRecord): ChainFault | undefined {
    while (this.#pending[0] && this.#pending[0].seq <= seq) {
      const checkpoint = this.#pending.shift() as Checkpoint
      if (checkpoint.number > this.#number + 1) return { seq: checkpoint.seq, id: null, reason: 'checkpoint_removed' }
      const isNext = checkpoint.number === this.#number + 1 && checkpoint.seq === seq
      const isOurs = checkpoint.company === this.#head.company && isSignatureValid(checkpoint, this.#keys)
      if (!isNext || !isOurs) return { seq: checkpoint.seq, id: null, reason: 'checkpoint_forged' }
      if (checkpoint.hash !== this.#last.hash) return { ...this.#firstUnconfirmed, reason: 'rewritten' }
      this.#number = checkpoint.number
      this.#firstUnconfirmed = { seq: seq + 1, id: null }
    }
    return undefined
  }

  /** A hash that does not match fits another record nearby when records were reordered or inserted. */
  #reasonOfMismatch(records: SealedRecord[], index: number): 'changed' | 'reordered' | 'inserted' {
    const here = records[index] as SealedRecord
    const { seq, hash: previous } = this.#last
    for (const other of records.slice(index + 1)) {
      const hash = this.#hashOf(other, previous, seq + 1)
      if (hash !== here.hash && hash !== other.hash) continue
      const next = this.#hashOf(here, hash, seq + 2)
      const isSwapped = other.seq > seq + 2 || next === here.hash || next === other.hash
      return isSwapped ? 'reordered' : 'inserted'
    }
    return 'changed'
  }

  #hashOf(record: SealedRecord, previousHash: string, seq: number): string {
    return recordHash(this.#head.company, previousHash, seq, record)
  }
}

/** PostgreSQL has times that JavaScript can't parse, such as infinity and years BC. The service writes none, but a change by hand may. */
export function timeOf(text: string): number {
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return time
  return /^-| BC$/.test(text) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}
