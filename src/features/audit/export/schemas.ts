import { z } from 'zod'
import { AuditRecord, Checkpoint } from '../schemas.ts'
import { csvHead, csvLineOf } from './csv.ts'
import { exampleCheckpoint, exampleRecords } from './example.ts'

const SealedRecord = z
  .object({
    seq: z.int().min(1).describe('Its place in the chain.'),
    hash: z.string().describe('SHA-256, in hexadecimal, over the record and the hash before it.'),
    ...AuditRecord.shape,
    // What was tampered with is exported as it is, for the verifier to name.
    created_at: z.string().describe('ISO 8601 in UTC.'),
    changes: z.unknown().describe('Values before and after, by field, as they are kept.'),
  })
  .meta({ id: 'SealedAuditRecord' })

const ExportLine = z
  .union([
    z.object({ filter: z.record(z.string(), z.string()).describe('The filter of the export.') }),
    z.object({ checkpoint: Checkpoint }),
    SealedRecord,
  ])
  .meta({
    id: 'AuditExportLine',
    description:
      'A checkpoint, first of all that of the end of the chain, or a record. A filtered export begins with its filter, and has no checkpoints.',
  })

const line = (value: object) => `${JSON.stringify(value)}\n`
const checkpoint = line({ checkpoint: exampleCheckpoint })

/** What each format looks like, for readers of the documentation. */
export const exportFormats = {
  'application/x-ndjson': {
    description: 'One JSON object on each line, each an `AuditExportLine`.',
    line: ExportLine,
    example: checkpoint + exampleRecords.map(line).join('') + checkpoint,
  },
  'text/csv': {
    description: 'One record on each line below the names of the columns (RFC 4180).',
    example: csvHead() + exampleRecords.map(csvLineOf).join(''),
  },
}
