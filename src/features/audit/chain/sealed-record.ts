import { z } from 'zod'

const text = z.string()

/** Where something stands in a company's chain. */
export const position = { seq: z.int().min(0), hash: text }

/** The newest version of a record's form that this service writes, seals and verifies. */
export const RECORD_VERSION = 1

/**
 * What an audit record consists of: as it is shown and exported, with its position in the chain; `changes` as they are
 * stored. A new field also goes into `recordHash` (hashing.ts), with a new version `v`.
 */
export const SealedRecord = z.object({
  ...position,
  v: z.int().min(1),
  id: text,
  created_at: text,
  action: text,
  outcome: text,
  actor: z.object({ id: text.nullable(), name: text, email: text }),
  target: z.object({ type: text, id: text, label: text }),
  changes: z.json(),
  ip: text.nullable(),
  user_agent: text,
  request_id: text,
})
export type SealedRecord = z.output<typeof SealedRecord>
