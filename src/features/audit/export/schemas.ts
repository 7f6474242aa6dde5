import { z } from 'zod'
import { AuditRecord, Checkpoint } from '../schemas.ts'
import { csvHead, csvLineOf } from './csv.ts'
import { exampleCheckpoint, exampleRecords } from './example.ts'
import { ndjsonLine } from './ndjson.ts'

const Part = z.union([
  z.object({ salt: z.string() }).describe('16 bytes in hexadecimal.'),
  z.object({ commitment: z.string() }).describe('HMAC-SHA256 in hexadecimal: the values were erased.'),
])

const SealedRecord = z
  .object({
    seq: z.int().min(1).describe('Position in the chain.'),
    hash: z.string().describe('SHA-256, in hexadecimal, over the record and the hash before it.'),
    v: z.int().min(1).describe('Version of the form of the record, which the hash covers.'),
    ...AuditRecord.shape,
    actor: AuditRecord.shape.actor.omit({ erased: true }).partial({ kind: true }),
    via: AuditRecord.shape.via.optional(),
    target: AuditRecord.shape.target.omit({ erased: true }),
    personal: z
      .object({ actor: Part, target: Part })
      .optional()
      .describe('With the values it gives the commitments that the hash covers. From version 2 on.'),
    // Exported as stored even when they were tampered with, so that the verifier can report it.
    created_at: z.string().describe('ISO 8601 in UTC.'),
    changes: z.unknown().describe('Values before and after, by field, as stored.'),
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
      'A record or a checkpoint. The first line is the checkpoint at the end of the chain. A filtered export starts with its filter instead and has no checkpoints.',
  })

const checkpoint = ndjsonLine({ checkpoint: exampleCheckpoint })

/** Documents each format with an example. */
export const exportFormats = {
  'application/x-ndjson': {
    description: 'One JSON object on each line, each an `AuditExportLine`.',
    line: ExportLine,
    example: checkpoint + exampleRecords.map(ndjsonLine).join('') + checkpoint,
  },
  'text/csv': {
    description: 'One record on each line, after a line with the names of the columns (RFC 4180).',
    example: csvHead() + exampleRecords.map(csvLineOf).join(''),
  },
}
