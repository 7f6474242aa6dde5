import { z } from 'zod'
import { pageQuery } from '../../lib/paging.ts'
import { clearableText, requiredText, singleLineText } from '../../lib/text.ts'
import { Uuid } from '../../lib/uuids.ts'
import { Timezone } from '../accounts/schemas.ts'

const Status = z.enum(['active', 'inactive'])

const details = {
  code: clearableText(30).describe('Optional. Unique in the company, ignoring case and accents.'),
  address: clearableText(300),
  phone: clearableText(32),
  timezone: Timezone,
}

export const NewBranch = z.object({
  name: requiredText(100).describe('Unique in the company (case-insensitive).'),
  parentId: Uuid.nullable().optional().describe('The parent branch. Leave out for a top-level branch.'),
  ...details,
})
export type NewBranch = z.output<typeof NewBranch>

export const BranchUpdate = z.object({
  name: requiredText(100).optional().describe('Unique in the company (case-insensitive).'),
  parentId: Uuid.nullable()
    .optional()
    .describe('Moves the branch, with everything under it, to this parent; null moves it to the top level.'),
  status: Status.optional().describe('You can’t add members or branches to an inactive branch. Existing ones stay.'),
  ...details,
})
export type BranchUpdate = z.output<typeof BranchUpdate>

export const BranchQuery = z.object({
  ...pageQuery(['name', 'code', 'created_at', 'status']),
  search: singleLineText(254).optional().describe('Searches name and code, ignoring case and accents.'),
  status: Status.optional().describe('Only branches with this status.'),
  parentId: z
    .union([Uuid, z.literal('root')], 'must be a UUID, or root')
    .optional()
    .describe('Only branches directly under this one; `root` for top-level branches.'),
  tree: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      '`true`: the items are the top-level branches, or those directly under `parentId`, each with what is under it in ' +
        '`children`, as many whole levels as have 1,000 branches together; where that is not included, `children` is absent: ' +
        'request it with `parentId`. With `search` or `status`, only matching branches and their parents are included. `total` counts the items.',
    ),
})
export type BranchQuery = z.output<typeof BranchQuery>

export const OneBranch = z.object({ branchId: Uuid })

export const Branch = z
  .object({
    id: z.uuid(),
    parentId: z.uuid().nullable().describe('Null for a top-level branch.'),
    name: z.string(),
    code: z.string(),
    address: z.string(),
    phone: z.string(),
    timezone: z.string(),
    status: Status,
    depth: z.int().min(1).max(8).describe('1 for a top-level branch.'),
    childCount: z.int().min(0).describe('Number of branches directly under it.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Branch' })
export type Branch = z.output<typeof Branch>

export const BranchItem = Branch.extend({
  get children() {
    // An example of its own: one made from the schema would never end.
    return z
      .array(BranchItem)
      .optional()
      .meta({
        examples: [[]],
        description: 'Only with `tree=true`, and absent where the branches below are not included.',
      })
  },
}).meta({ id: 'BranchItem' })

export const DeletedBranch = z.object({ id: z.uuid() })
