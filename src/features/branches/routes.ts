import type { Api } from '../../http/routes.ts'
import { getBranch, listBranches } from './branches.ts'
import { createBranch } from './create-branch.ts'
import { deleteBranch } from './delete-branch.ts'
import { listTrees } from './list-trees.ts'
import { Branch, BranchItem, BranchQuery, BranchUpdate, DeletedBranch, NewBranch, OneBranch } from './schemas.ts'
import { updateBranch } from './update-branch.ts'

export function branches(api: Api): void {
  api.list(
    '/companies/branches',
    {
      access: { company: 'branches:read' },
      action: 'branches.list',
      docs: {
        operationId: 'listBranches',
        summary: 'The branches of the company',
        description:
          'A flat list, or with `tree=true` the tree: then a page has the branches at the top, or right below ' +
          '`parentId`, each with all below it in `children`.',
      },
      request: { query: BranchQuery },
      response: { data: BranchItem },
    },
    ({ tx, query: { tree, ...query } }) => (tree === 'true' ? listTrees(tx, query) : listBranches(tx, query)),
  )

  api.post(
    '/companies/branches',
    {
      access: { company: 'branches:create' },
      action: 'branches.create',
      docs: {
        operationId: 'createBranch',
        summary: 'Add a branch',
        description: 'At the top or below an active branch. The tree has at most 8 levels, a company 10,000 branches.',
      },
      request: { body: NewBranch },
      response: {
        data: Branch,
        status: 201,
        message: 'The branch was added.',
      },
      problems: [
        'branch_name_taken',
        'branch_code_taken',
        'branch_unknown',
        'branch_inactive',
        'branch_too_deep',
        'branch_limit_reached',
      ],
    },
    ({ tx, actor, body }) => createBranch(tx, actor, body),
  )

  api.get(
    '/companies/branches/:branchId',
    {
      access: { company: 'branches:read' },
      action: 'branches.get',
      docs: {
        operationId: 'getBranch',
        summary: 'One branch',
        description:
          'Its ETag goes into `If-Match` of a change, which is then refused when the branch has changed since.',
      },
      request: { params: OneBranch },
      response: { data: Branch },
      version: { etag: true },
      problems: ['branch_not_found'],
    },
    ({ tx, params }) => getBranch(tx, params.branchId),
  )

  api.patch(
    '/companies/branches/:branchId',
    {
      access: { company: 'branches:update' },
      action: 'branches.update',
      docs: {
        operationId: 'updateBranch',
        summary: 'Change, move or deactivate a branch',
        description:
          'What is left out stays as it is. A move takes all that is below the branch along. What is deactivated keeps its ' +
          'members and the branches below it, which stay active; it takes in no others.',
      },
      request: { params: OneBranch, body: BranchUpdate },
      response: { data: Branch, message: 'The branch is saved.' },
      version: {
        etag: true,
        current: ({ tx, params }) => getBranch(tx, params.branchId),
      },
      problems: [
        'branch_not_found',
        'branch_name_taken',
        'branch_code_taken',
        'version_mismatch',
        'branch_unknown',
        'branch_cycle',
        'branch_inactive',
        'branch_too_deep',
      ],
    },
    ({ tx, actor, params, body }) => updateBranch(tx, actor, params.branchId, body),
  )

  api.delete(
    '/companies/branches/:branchId',
    {
      access: { company: 'branches:delete' },
      action: 'branches.delete',
      docs: {
        operationId: 'deleteBranch',
        summary: 'Delete a branch',
        description: 'Only one without members and without branches below it; any other can be deactivated.',
      },
      request: { params: OneBranch },
      response: { data: DeletedBranch, message: 'The branch is deleted.' },
      version: { current: ({ tx, params }) => getBranch(tx, params.branchId) },
      problems: ['branch_not_found', 'version_mismatch', 'branch_has_children', 'branch_has_members'],
    },
    ({ tx, actor, params }) => deleteBranch(tx, actor, params.branchId),
  )
}
