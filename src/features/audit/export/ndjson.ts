import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Checkpoint } from '../chain/hashing.ts'
import {
  LaterRecord,
  RECORD_VERSION,
  type SealedRecord,
  SealedRecordV1,
  SealedRecordV2,
} from '../chain/sealed-record.ts'

export const ndjsonLine = (value: object): string => `${JSON.stringify(value)}\n`

export type ExportLine =
  | { kind: 'checkpoint'; checkpoint: Checkpoint }
  | { kind: 'record'; record: SealedRecord }
  | { kind: 'filter' | 'invalid' }

/** The lines of an exported file, for the offline verifier: a line that was tampered with may be `invalid`. */
export async function* readLines(file: string): AsyncGenerator<ExportLine, undefined> {
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield parseLine(line)
  }
}

function parseLine(line: string): ExportLine {
  try {
    const value = JSON.parse(line)
    if ('filter' in value) return { kind: 'filter' }
    if ('checkpoint' in value) {
      const checkpoint = Checkpoint.parse(value.checkpoint)
      return isWholeLine({ checkpoint }, line) ? { kind: 'checkpoint', checkpoint } : { kind: 'invalid' }
    }
    const record = recordIn(value)
    return isWholeLine(record, line) ? { kind: 'record', record } : { kind: 'invalid' }
  } catch {
    return { kind: 'invalid' }
  }
}

function recordIn(value: { v?: unknown; changes?: unknown }): SealedRecord {
  // Its hash is not looked at.
  if (Number(value.v) > RECORD_VERSION) return LaterRecord.parse(value) as unknown as SealedRecord
  const known = value.v === 1 ? SealedRecordV1.parse(value) : SealedRecordV2.parse(value)
  // The changes as JSON.parse gives them: zod's copy may lack keys that the hash must cover, such as `__proto__`.
  return { ...known, changes: value.changes }
}

/** A line must contain nothing but what is verified, because people and other programs read it as well. */
const isWholeLine = (parsed: object, line: string) => JSON.stringify(parsed) === line
