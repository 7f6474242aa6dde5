import type { Checkpoint } from './hashing.ts'
import type { SealedRecord } from './sealed-record.ts'

/** Consecutive records of a chain and the checkpoints kept among them, both by ascending `seq`. */
export interface ChainBatch {
  records: SealedRecord[]
  checkpoints: Checkpoint[]
}

export const BATCH_RECORDS_MAX = 1000
/** Of the changes in a batch; the other columns are short. */
export const BATCH_BYTES_MAX = 1_000_000
