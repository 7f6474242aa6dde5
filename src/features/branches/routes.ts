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
        summary: 'List branches',
        description:
          'A flat list. With `tree=true`, a page holds the top-level branches (or those directly under `parentId`), each with everything below it in `children`.',
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
        summary: 'Create a branch',
        description: 'At the top level or under an active branch. Up to 8 levels and 10,000 branches per company.',
      },
      request: { body: NewBranch },
      response: {
        data: Branch,
        status: 201,
        message: 'Branch created.',
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
        summary: 'Get a branch',
        description:
          'Send its ETag in `If-Match` when you update the branch: the update is rejected if the branch has changed since.',
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
        summary: 'Update, move, or deactivate a branch',
        description:
          'Fields you leave out stay the same. Moving a branch also moves everything under it. An inactive branch keeps its members and the branches under it, which stay active, but you can’t add new ones.',
      },
      request: { params: OneBranch, body: BranchUpdate },
      response: { data: Branch, message: 'Branch saved.' },
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
        description: 'Only if no members or branches belong to it. Otherwise, deactivate it.',
      },
      request: { params: OneBranch },
      response: { data: DeletedBranch, message: 'Branch deleted.' },
      version: { current: ({ tx, params }) => getBranch(tx, params.branchId) },
      problems: ['branch_not_found', 'version_mismatch', 'branch_has_children', 'branch_has_members'],
    },
    ({ tx, actor, params }) => deleteBranch(tx, actor, params.branchId),
  )
}
