import { z } from 'zod'
import { pageLimit } from '../../http/paging.ts'
import { CURSOR_LENGTH_MAX } from '../../lib/cursors.ts'
import { line } from '../../lib/text.ts'
import { Uuid } from '../../lib/uuids.ts'
import { reasons } from './walk.ts'

const EARLIEST = Date.parse('1900-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T00:00:00Z')

/** Any offset is understood; from here on it is UTC. */
const Moment = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 timestamp with Z or an offset' })
  .max(40)
  .refine(
    (text) => Date.parse(text) >= EARLIEST && Date.parse(text) <= LATEST,
    'must be between the years 1900 and 9999',
  )
  .transform((text) => new Date(text).toISOString())
  .optional()

const filter = {
  actorId: Uuid.optional(),
  action: line(64).optional().describe('Such as `users.update`.'),
  targetType: line(32).optional(),
  targetId: line(64).optional(),
  outcome: line(64).optional().describe('`done`, or the code of a refusal.'),
  from: Moment.describe('Not earlier than this.'),
  to: Moment.describe('Not later than this.'),
}

const isInOrder = ({ from, to }: { from?: string | undefined; to?: string | undefined }) =>
  from === undefined || to === undefined || from <= to
const order = { path: ['to'], error: 'must not be before from' }

export const AuditQuery = z
  .object({ ...filter, cursor: z.string().max(CURSOR_LENGTH_MAX).optional(), limit: pageLimit })
  .refine(isInOrder, order)

export const ExportQuery = z
  .object({ ...filter, format: z.enum(['ndjson', 'csv']).default('ndjson') })
  .refine(isInOrder, order)

const Value = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])

export const AuditRecord = z
  .object({
    id: z.uuid(),
    action: z.string(),
    actor: z.object({
      id: z.uuid().nullable().describe('Null: the service itself.'),
      name: z.string(),
      email: z.string(),
    }),
    target: z.object({ type: z.string(), id: z.string(), label: z.string() }),
    changes: z
      .record(z.string(), z.object({ from: Value.optional(), to: Value.optional() }))
      .describe('Values before and after, by field.'),
    outcome: z.string().describe('`done`, or the code of the refusal.'),
    ip: z.string().nullable(),
    user_agent: z.string(),
    request_id: z.string(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'AuditRecord' })

const Checkpoint = z
  .object({
    company: z.uuid(),
    number: z.int().describe('How many checkpoints were kept so far.'),
    seq: z.int(),
    hash: z.string(),
    begins: z
      .object({ seq: z.int(), hash: z.string(), number: z.int() })
      .describe('Where the chain begins, after what was purged.'),
    time: z.iso.datetime(),
    kid: z.string().describe('The key in /.well-known/jwks.json.'),
    signature: z.string(),
  })
  .meta({ id: 'AuditCheckpoint' })

export const Verdict = z.object({
  valid: z.boolean(),
  firstBad: z
    .object({ seq: z.int(), id: z.uuid().nullable(), reason: z.enum(reasons) })
    .nullable()
    .describe('The first thing that is not as it was sealed.'),
  records: z.int().describe('How many were looked at.'),
  checkpoint: Checkpoint.nullable().describe('The signed end of the chain.'),
})

export const AuditSettings = z.object({ retentionDays: z.int().nullable().describe('Null: for ever.') })
export const AuditSettingsChange = z.object({ retentionDays: z.int().min(30).max(3650).nullable().optional() })
