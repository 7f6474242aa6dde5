import { z } from 'zod'
import { PasskeyRequestOptions } from '../lib/passkey-requests.ts'
import { type ProblemCode, problemCodes } from '../problems.ts'

/** One resource, or the result of an action. */
export const envelope = <Data extends z.ZodType>(data: Data) =>
  z.object({ success: z.literal(true), data, message: z.string().optional() })

/** A page of a list with a total. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    success: z.literal(true),
    data: z.array(item),
    total: z.int().min(0).describe('Items that match, on all pages together.'),
    page: z.int().min(1),
    limit: z.int().min(1).max(100),
  })

/** A page of a list with a cursor. */
export const cursorPageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    success: z.literal(true),
    data: z.array(item),
    nextCursor: z.string().nullable().describe('Sent back as `cursor` it gives the next page; null on the last one.'),
    hasNext: z.boolean(),
    limit: z.int().min(1).max(100),
  })

/** The `data` of a response without a result. */
export const NoData = z.object({})

export const ProblemBody = z
  .object({
    statusCode: z.int().min(400).max(599),
    message: z.string().describe('Human-readable; can change.'),
    error: z.string().describe('The name of the status, such as `Forbidden`.'),
    code: z.enum(problemCodes as [ProblemCode, ...ProblemCode[]]).describe('Machine-readable; never changes.'),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('Which fields failed validation.'),
    required: z.string().optional().describe('The permission that was missing.'),
    methods: z
      .array(z.string())
      .optional()
      .describe(
        'How you can confirm that it’s you: `password`, `totp`, `passkey`, `recovery_code`. Values may be added.',
      ),
    challenge: z
      .object({
        token: z.string().describe('Names this sign-in; good for one answer.'),
        methods: z.array(z.string()).describe('How you can answer. Values may be added.'),
        expires_at: z.iso.datetime(),
        passkeyOptions: PasskeyRequestOptions.optional().describe('If you have a passkey.'),
      })
      .optional()
      .describe('What is needed to finish signing in. It opens nothing by itself.'),
    closedBy: z
      .string()
      .optional()
      .describe('The code with which the policy would keep your session out. Values may be added.'),
    count: z.int().min(0).optional().describe('How many members hold the role that is to be deleted.'),
  })
  .meta({ id: 'Problem' })
