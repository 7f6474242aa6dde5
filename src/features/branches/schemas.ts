import { z } from 'zod'
import { pageQuery } from '../../http/paging.ts'
import { clearableLine, line, requiredLine } from '../../lib/text.ts'
import { Uuid } from '../../lib/uuids.ts'
import { Timezone } from '../accounts/schemas.ts'

const Status = z.enum(['active', 'inactive'])

const details = {
  code: clearableLine(30).describe('Unique in the company whatever its letter case and accents, when there is one.'),
  address: clearableLine(300),
  phone: clearableLine(32),
  timezone: Timezone,
}

export const NewBranch = z.object({
  name: requiredLine(100).describe('Unique in the company in any letter case.'),
  parentId: Uuid.nullable().optional().describe('The branch above it. None: it stands at the top.'),
  ...details,
})
export type NewBranch = z.output<typeof NewBranch>

export const BranchUpdate = z.object({
  name: requiredLine(100).optional().describe('Unique in the company in any letter case.'),
  parentId: Uuid.nullable()
    .optional()
    .describe('Moves the branch, and all below it, under that one; null: to the top.'),
  status: Status.optional().describe(
    'An inactive branch takes in no members and no branches; those it has stay as they are.',
  ),
  ...details,
})
export type BranchUpdate = z.output<typeof BranchUpdate>

export const BranchQuery = z.object({
  ...pageQuery(['name', 'code', 'created_at', 'status']),
  search: line(254).optional().describe('In name and code, in any letter case, with or without accents.'),
  status: Status.optional().describe('Only branches of this status.'),
  parentId: z
    .union([Uuid, z.literal('root')], 'must be a UUID, or root')
    .optional()
    .describe('Only branches right below this one; `root`: only those at the top.'),
  tree: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      '`true`: the items are the branches at the top, or right below `parentId`, each with all below it in `children`. ' +
        'With `search` or `status` only what matches, and the branches above it, is there. `total` counts the items.',
    ),
})
export type BranchQuery = z.output<typeof BranchQuery>

export const OneBranch = z.object({ branchId: Uuid })

export const Branch = z
  .object({
    id: z.uuid(),
    parentId: z.uuid().nullable().describe('Null: it stands at the top.'),
    name: z.string(),
    code: z.string(),
    address: z.string(),
    phone: z.string(),
    timezone: z.string(),
    status: Status,
    depth: z.int().min(1).max(8).describe('1 at the top.'),
    childCount: z.int().min(0).describe('How many branches are right below it.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Branch' })
export type Branch = z.output<typeof Branch>

export const BranchItem = Branch.extend({
  get children() {
    // Its own example: whoever makes one from the schema would never come to an end.
    return z
      .array(BranchItem)
      .optional()
      .meta({ examples: [[]], description: 'Only with `tree=true`.' })
  },
}).meta({ id: 'BranchItem' })

export const DeletedBranch = z.object({ id: z.uuid() })
