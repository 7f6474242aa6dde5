import { type Beginning, type Checkpoint, hashOf, isSigned, type PublicKeys, type SealedRecord } from './hashing.ts'

export const reasons = [
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
] as const

/** The first thing that is not as it was sealed, or was not true then. `id` is null where no record is to be named. */
export interface Bad {
  seq: number
  id: string | null
  reason: (typeof reasons)[number]
}

/**
 * Transactions, clocks of several machines and a sealer that waits its turn are seconds apart, so a record that is an hour
 * off did not come from the service.
 */
export const TIME_TOLERANCE_MS = 3_600_000

/** Walks along a chain in windows, up to its signed end, and stops at the first thing that is wrong. */
export class ChainWalk {
  readonly #head: Checkpoint
  readonly #keys: PublicKeys
  /** The last record that follows from the beginning. */
  #at: Pick<Beginning, 'seq' | 'hash'>
  #number: number
  /** Checkpoints whose record has not come yet. */
  #due: Checkpoint[] = []
  /** The first record after the last checkpoint that agreed. */
  #unproven: { seq: number; id: string | null }
  #bad: Bad | undefined
  #latest = Number.NEGATIVE_INFINITY
  #firstMistimed: Bad | undefined
  #mistimed = 0

  constructor(head: Checkpoint, keys: PublicKeys) {
    this.#head = head
    this.#keys = keys
    this.#at = { seq: head.begins.seq, hash: head.begins.hash }
    this.#number = head.begins.number
    this.#unproven = { seq: head.begins.seq + 1, id: null }
    if (!isSigned(head, keys)) this.#bad = { seq: head.seq, id: null, reason: 'head_forged' }
  }

  get bad(): Bad | undefined {
    return this.#bad
  }

  /**
   * The first record that stands whole in the chain but was put in with another time than its own. Told last: whoever puts
   * one in must not hide by it what is done to the chain later.
   */
  get firstMistimed(): Bad | undefined {
    return this.#firstMistimed
  }

  get mistimed(): number {
    return this.#mistimed
  }

  /** Up to where all is right; from there a chain may begin. */
  get reached(): Beginning {
    return { ...this.#at, number: this.#number }
  }

  /** Some more records and the kept checkpoints among them, both in the order of their places. */
  window(records: SealedRecord[], checkpoints: Checkpoint[]): void {
    this.#due.push(...checkpoints)
    for (const [index, record] of records.entries()) {
      if (this.#bad) return
      const bad = this.#wrongIn(records, index)
      if (!bad) this.#time(record)
      this.#bad = bad ?? this.#wrongAt(record)
    }
  }

  end(): Bad | undefined {
    const { seq, hash, number } = this.#head
    if (this.#bad) return this.#bad
    if (this.#at.seq < seq) return { seq: this.#at.seq + 1, id: null, reason: 'cut_off' }
    const [left] = this.#due
    if (left) return { seq: left.seq, id: null, reason: 'checkpoint_forged' }
    if (this.#at.hash !== hash) return { ...this.#unproven, reason: 'rewritten' }
    if (this.#number !== number) return { seq, id: null, reason: 'checkpoint_removed' }
    return undefined
  }

  #wrongIn(records: SealedRecord[], index: number): Bad | undefined {
    const record = records[index] as SealedRecord
    const seq = this.#at.seq + 1
    if (record.seq > seq) return { seq, id: null, reason: 'removed' }
    if (record.seq < seq || seq > this.#head.seq) return { seq: record.seq, id: record.id, reason: 'inserted' }
    const hash = this.#hashOf(this.#at.hash, seq, record)
    if (hash !== record.hash) return { seq, id: record.id, reason: this.#whatHappened(records, index) }
    this.#at = { seq, hash }
    if (this.#unproven.seq === seq) this.#unproven = { seq, id: record.id }
    return undefined
  }

  /** A record is written before the end that covers it is signed, and was sealed in the order of the times. */
  #time({ seq, id, created_at }: SealedRecord): void {
    const time = timeOf(created_at)
    const signed = Date.parse((this.#due[0] ?? this.#head).time)
    const isPost = time > signed + TIME_TOLERANCE_MS
    const isBack = time < this.#latest - TIME_TOLERANCE_MS
    if (!isPost) this.#latest = Math.max(this.#latest, time)
    if (!isPost && !isBack) return
    this.#mistimed++
    this.#firstMistimed ??= { seq, id, reason: isPost ? 'postdated' : 'backdated' }
  }

  #wrongAt({ seq }: SealedRecord): Bad | undefined {
    while (this.#due[0] && this.#due[0].seq <= seq) {
      const checkpoint = this.#due.shift() as Checkpoint
      if (checkpoint.number > this.#number + 1) return { seq: checkpoint.seq, id: null, reason: 'checkpoint_removed' }
      const isNext = checkpoint.number === this.#number + 1 && checkpoint.seq === seq
      const isOurs = checkpoint.company === this.#head.company && isSigned(checkpoint, this.#keys)
      if (!isNext || !isOurs) return { seq: checkpoint.seq, id: null, reason: 'checkpoint_forged' }
      if (checkpoint.hash !== this.#at.hash) return { ...this.#unproven, reason: 'rewritten' }
      this.#number = checkpoint.number
      this.#unproven = { seq: seq + 1, id: null }
    }
    return undefined
  }

  /** A record that does not fit its place: does another one near it? */
  #whatHappened(records: SealedRecord[], index: number): 'changed' | 'reordered' | 'inserted' {
    const here = records[index] as SealedRecord
    const { seq, hash: previous } = this.#at
    for (const other of records.slice(index + 1)) {
      const hash = this.#hashOf(previous, seq + 1, other)
      if (hash !== here.hash && hash !== other.hash) continue
      const next = this.#hashOf(hash, seq + 2, here)
      const traded = other.seq > seq + 2 || next === here.hash || next === other.hash
      return traded ? 'reordered' : 'inserted'
    }
    return 'changed'
  }

  #hashOf(previous: string, seq: number, record: SealedRecord): string {
    return hashOf(this.#head.company, previous, seq, record)
  }
}

/** Nothing of ours writes a time that JavaScript can't read, but a hand in the database may: infinity, years before ours. */
export function timeOf(text: string): number {
  const time = Date.parse(text)
  if (!Number.isNaN(time)) return time
  return /^-| BC$/.test(text) ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}
