import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { AccountSummary } from '../accounts/schemas.ts'
import { addMember } from './add-member.ts'
import { detachMember } from './detach-member.ts'
import { prepareNewAccountPassword } from './managed-accounts.ts'
import { getMember, listMembers } from './members.ts'
import {
  AddedMember,
  CompanyOfMember,
  DetachedMember,
  Member,
  MemberQuery,
  MemberUpdate,
  NewMember,
  OneMember,
  SearchQuery,
} from './schemas.ts'
import { companiesOfMember, searchAccounts } from './search-accounts.ts'
import { updateMember } from './update-member.ts'

export function members(api: Api, deps: Deps): void {
  const { config } = deps

  api.list(
    '/companies/users',
    {
      access: { company: 'users:read' },
      action: 'users.list',
      docs: {
        operationId: 'listMembers',
        summary: 'List members',
        description: 'Includes inactive members unless you filter by `status`.',
      },
      request: { query: MemberQuery },
      response: { data: Member },
    },
    ({ tx, query }) => listMembers(tx, query),
  )

  api.get(
    '/companies/users/search',
    {
      access: { company: 'users:create' },
      action: 'users.search',
      docs: {
        operationId: 'searchAccounts',
        summary: 'Search people to add',
        description:
          'Members of companies where you can view members match by part of their name or address; everyone else only by exact email address. Up to 20 results.',
      },
      request: { query: SearchQuery },
      response: { data: z.array(AccountSummary) },
    },
    ({ tx, caller, query }) => searchAccounts(tx, caller, query.q),
  )

  api.post(
    '/companies/users',
    {
      access: { company: 'users:create' },
      action: 'users.add',
      docs: {
        operationId: 'addMember',
        summary: 'Add a member',
        description:
          'Creates an account and emails a temporary password, or adds the existing account with this email address.',
      },
      request: { body: NewMember },
      response: {
        data: AddedMember,
        status: 201,
        message: ({ isNewUser }) =>
          isNewUser ? 'Account created. We emailed the temporary password.' : 'Existing account added to the company.',
      },
      prepare: ({ actor, body }) => prepareNewAccountPassword(deps, actor, body.email),
      problems: [
        'reauthentication_required',
        'email_reserved',
        'grant_exceeds_permissions',
        'domain_not_allowed',
        'already_member',
        'added_company_limit_reached',
        'role_unknown',
        'branch_unknown',
        'branch_inactive',
        'email_limit_reached',
      ],
    },
    ({ tx, actor, body, prepared }) => addMember(tx, actor, config, body, prepared),
  )

  api.get(
    '/companies/users/:userId',
    {
      access: { company: 'users:read' },
      action: 'users.get',
      docs: {
        operationId: 'getMember',
        summary: 'Get a member',
        description:
          'Send its ETag in `If-Match` when you update the member: the update is rejected if the member has changed since.',
      },
      request: { params: OneMember },
      response: { data: Member },
      version: { etag: true },
      problems: ['member_not_found'],
    },
    ({ tx, params }) => getMember(tx, params.userId),
  )

  api.patch(
    '/companies/users/:userId',
    {
      access: { company: 'users:update' },
      action: 'users.update',
      docs: {
        operationId: 'updateMember',
        summary: 'Update a member',
        description:
          'Fields you leave out stay the same; `roleIds` and `branchIds` replace the current ones. An inactive member keeps their account but loses access to this company. The other owners are notified by email when someone becomes an owner or stops being one.',
      },
      request: { params: OneMember, body: MemberUpdate },
      response: { data: Member, message: 'Member saved.' },
      version: {
        etag: true,
        current: ({ tx, params }) => getMember(tx, params.userId),
      },
      problems: [
        'reauthentication_required',
        'grant_exceeds_permissions',
        'target_exceeds_permissions',
        'member_not_found',
        'version_mismatch',
        'member_without_role',
        'role_unknown',
        'branch_unknown',
        'branch_inactive',
        'last_owner',
        'policy_locks_all_owners',
      ],
    },
    ({ tx, actor, params, body }) => updateMember(tx, actor, config, params.userId, body),
  )

  api.delete(
    '/companies/users/:userId',
    {
      access: { company: 'users:delete' },
      action: 'users.detach',
      docs: {
        operationId: 'detachMember',
        summary: 'Remove a member',
        description: 'The account isn’t deleted. The only owner can’t be removed.',
      },
      request: { params: OneMember },
      response: {
        data: DetachedMember,
        message: 'Member removed. Their account still exists.',
      },
      version: { current: ({ tx, params }) => getMember(tx, params.userId) },
      idempotency: { replayAfterAccessLoss: true },
      problems: [
        'reauthentication_required',
        'target_exceeds_permissions',
        'member_not_found',
        'version_mismatch',
        'last_owner',
        'policy_locks_all_owners',
      ],
    },
    ({ tx, actor, params }) => detachMember(tx, actor, config, params.userId),
  )

  api.get(
    '/companies/users/:userId/companies',
    {
      access: { company: 'users:read' },
      action: 'users.list_companies',
      docs: {
        operationId: 'listMemberCompanies',
        summary: 'List a member’s companies',
        description: 'Only companies where you can view members, with the member’s roles in each.',
      },
      request: { params: OneMember },
      response: { data: z.array(CompanyOfMember) },
      problems: ['member_not_found'],
    },
    ({ tx, caller, params }) => companiesOfMember(tx, caller, params.userId),
  )
}
