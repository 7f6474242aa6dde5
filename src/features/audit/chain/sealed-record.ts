import { z } from 'zod'

const text = z.string()

/** Where something stands in a company's chain. */
export const position = { seq: z.int().min(0), hash: text }

/** The newest version of a record's form that this service writes, seals and verifies. */
export const RECORD_VERSION = 2

/** 16 bytes in hexadecimal. */
export const SALT = /^[0-9a-f]{32}$/
/** SHA-256 in hexadecimal. */
export const COMMITMENT = /^[0-9a-f]{64}$/

/** The salt of what is shown; once that is erased, the commitment to it. */
const PersonalPart = z.union([z.object({ salt: text.regex(SALT) }), z.object({ commitment: text.regex(COMMITMENT) })])
export type PersonalPart = z.output<typeof PersonalPart>

/** What is personal in a record: of the actor (with the request, whose id the actor chooses), and of the target. */
const Personal = z.object({ actor: PersonalPart, target: PersonalPart })
export type Personal = z.output<typeof Personal>

const fields = {
  ...position,
  v: z.int().min(1),
  id: text,
  created_at: text,
  action: text,
  outcome: text,
}
const target = z.object({ type: text, id: text, label: text })
const contents = { changes: z.json(), ip: text.nullable(), user_agent: text, request_id: text }
const person = { name: text, email: text }

/** As it is exported; the order of the fields is that of a line. */
export const SealedRecordV1 = z.object({
  ...fields,
  v: z.literal(1),
  actor: z.object({ id: text.nullable(), ...person }),
  target,
  ...contents,
})
export const SealedRecordV2 = z.object({
  ...fields,
  v: z.literal(2),
  actor: z.object({ id: text.nullable(), kind: text.nullable(), ...person }),
  via: z.object({ type: text, id: text }).nullable(),
  target,
  ...contents,
  personal: Personal,
})
/** Of a version that this service does not know: whatever it says. */
export const LaterRecord = z.looseObject({ ...position, v: z.int().min(RECORD_VERSION + 1), id: text })

/**
 * What an audit record consists of: as it is shown and exported, with its position in the chain; `changes` as they are
 * stored. A new field also goes into `recordHash` (hashing.ts), with a new version `v`.
 */
export interface SealedRecord extends Omit<z.output<typeof SealedRecordV1>, 'v' | 'actor' | 'changes'> {
  v: number
  actor: { id: string | null; kind?: string | null; name: string; email: string }
  /** By what the actor was let in. From version 2 on. */
  via?: { type: string; id: string } | null
  changes: unknown
  /** From version 2 on. */
  personal?: Personal
}
