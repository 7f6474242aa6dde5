import { z } from 'zod'
import { auditActions, auditTargetTypes } from '../../access/actions.ts'
import { CURSOR_LENGTH_MAX } from '../../lib/cursors.ts'
import { isWithinYears, WITHIN_YEARS } from '../../lib/moments.ts'
import { pageLimit } from '../../lib/paging.ts'
import { singleLineText } from '../../lib/text.ts'
import { Uuid } from '../../lib/uuids.ts'
import { faultReasons } from './chain/verifier.ts'
import { auditOutcomes } from './outcomes.ts'

/** Accepts any offset and continues in UTC. */
const Moment = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 timestamp with Z or an offset' })
  .max(40)
  .refine(isWithinYears, WITHIN_YEARS)
  .transform((text) => new Date(text).toISOString())
  .optional()

const Action = z.enum(auditActions).meta({ id: 'AuditAction' })
const TargetType = z.enum(auditTargetTypes).meta({ id: 'AuditTargetType' })
const Outcome = z.enum(auditOutcomes).meta({ id: 'AuditOutcome' })

const Filter = z.object({
  actorId: Uuid.optional(),
  action: Action.optional().describe('What was done or refused.'),
  targetType: TargetType.optional().describe('What kind of thing it was done to.'),
  targetId: singleLineText(64).optional(),
  outcome: Outcome.optional().describe('`done`, or the error code.'),
  from: Moment.describe('At this time or later.'),
  to: Moment.describe('At this time or earlier.'),
})
export type RecordFilter = Partial<z.output<typeof Filter>>

const isInOrder = ({ from, to }: Pick<z.output<typeof Filter>, 'from' | 'to'>) =>
  from === undefined || to === undefined || from <= to
const order = { path: ['to'], error: 'can’t be earlier than from' }

export const AuditQuery = z
  .object({ ...Filter.shape, cursor: z.string().max(CURSOR_LENGTH_MAX).optional(), limit: pageLimit })
  .refine(isInOrder, order)
export type AuditQuery = z.output<typeof AuditQuery>

export const ExportQuery = z
  .object({ ...Filter.shape, format: z.enum(['ndjson', 'csv']).default('ndjson') })
  .refine(isInOrder, order)
export type ExportQuery = z.output<typeof ExportQuery>

const Value = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])
export type ChangeValue = z.output<typeof Value>

const Erased = z.literal(true).optional().describe('What was personal here was erased.')

export const AuditRecord = z
  .object({
    id: z.uuid(),
    action: z.string().describe('What was done or refused, such as `users.update`. Values may be added.'),
    actor: z.object({
      id: z.uuid().nullable().describe('Null if the service itself or its operator did it.'),
      kind: z
        .string()
        .nullable()
        .describe('`person`, `operator` or `service`. Values may be added. Null in records of version 0.2.0.'),
      name: z.string(),
      email: z.string(),
      erased: Erased,
    }),
    via: z
      .object({ type: z.string().describe('`session`. Values may be added.'), id: z.uuid() })
      .nullable()
      .describe('By what the actor was signed in.'),
    target: z.object({
      type: z.string().describe('What kind of thing, such as `member`. Values may be added.'),
      id: z.string(),
      label: z.string(),
      erased: Erased,
    }),
    changes: z
      .record(z.string(), z.object({ from: Value.optional(), to: Value.optional() }))
      .describe('Values before and after, by field.'),
    outcome: z.string().describe('`done`, or the error code. Values may be added.'),
    ip: z.string().nullable(),
    user_agent: z.string(),
    request_id: z.string(),
    created_at: z.iso.datetime(),
  })
  .meta({
    id: 'AuditRecord',
    examples: [
      {
        id: '0199d0c0-7a17-7b95-8a40-3c5e7f9b1d07',
        action: 'users.update',
        actor: {
          id: '0199d0c0-7a11-7c3e-9d52-3f1e5b7a9c01',
          kind: 'person',
          name: 'Ann Lovelace',
          email: 'ann@example.com',
        },
        via: { type: 'session', id: '0199d0c0-7a15-7d2e-8b1a-4c6e8f0a2b05' },
        target: { type: 'member', id: '0199d0c0-7a16-7a84-8c3f-2b4d6f8a0c06', label: 'bob@example.com' },
        changes: { status: { from: 'active', to: 'inactive' } },
        outcome: 'done',
        ip: '203.0.113.7',
        user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
        request_id: '6f1c2f0e-3d53-4b8a-9d1f-0c4b7a1e2d3c',
        created_at: '2026-11-20T20:37:11.123Z',
      },
    ],
  })
export type AuditRecord = z.output<typeof AuditRecord>

export const Checkpoint = z
  .object({
    company: z.uuid(),
    number: z.int().describe('Number of checkpoints so far.'),
    seq: z.int(),
    hash: z.string(),
    begins: z
      .object({ seq: z.int(), hash: z.string(), number: z.int() })
      .describe(
        'The last record and the last checkpoint that were purged: the chain starts after them. 0 if none were.',
      ),
    time: z.iso.datetime(),
    kid: z.string().describe('ID of the signing key in `/.well-known/jwks.json`.'),
    signature: z.string(),
  })
  .meta({ id: 'AuditCheckpoint' })

export const AuditVerdict = z
  .object({
    valid: z.boolean(),
    firstInvalid: z
      .object({ seq: z.int(), id: z.uuid().nullable(), reason: z.enum(faultReasons) })
      .nullable()
      .describe(
        'First record or checkpoint that was changed since it was sealed; null if none. `backdated`, `postdated`: the chain is intact, but this record was inserted with a false time.',
      ),
    records: z.int().describe('Number of records checked.'),
    misdated: z.int().describe('Number of them whose time is more than an hour off from their position in the chain.'),
    checkpoint: Checkpoint.nullable().describe('The signed end of the chain.'),
  })
  .meta({
    id: 'AuditVerdict',
    examples: [
      {
        valid: true,
        firstInvalid: null,
        records: 12,
        misdated: 0,
        checkpoint: {
          company: '0199d0c0-7a12-7b8f-8a64-9c0d2e4f6a02',
          number: 1,
          seq: 12,
          hash: '5b3f0c1d2e4a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0',
          begins: { seq: 0, hash: '0f1e2d3c4b5a69788796a5b4c3d2e1f05b3f0c1d2e4a69788796a5b4c3d2e1f0', number: 0 },
          time: '2026-11-20T20:37:11.123Z',
          kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
          signature: 'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
        },
      },
    ],
  })
export type AuditVerdict = z.output<typeof AuditVerdict>

export const AuditSettings = z
  .object({ retentionDays: z.int().nullable().describe('Null: kept forever.') })
  .meta({ id: 'AuditSettings' })
export type AuditSettings = z.output<typeof AuditSettings>

const DAYS = 'must be a whole number from 30 to 3650, or null'
export const AuditSettingsUpdate = z
  .object({
    retentionDays: z
      .int(DAYS)
      .min(30, DAYS)
      .max(3650, DAYS)
      .nullable()
      .optional()
      .describe('30 to 3,650 days, or null to keep records forever.'),
  })
  .meta({ id: 'AuditSettingsUpdate' })
export type AuditSettingsUpdate = z.output<typeof AuditSettingsUpdate>
