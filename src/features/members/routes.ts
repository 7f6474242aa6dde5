import { z } from 'zod'
import { FRESH, WITH_FACTOR } from '../../access/freshness.ts'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { isOnlyPassword, prepareTemporaryPassword } from '../accounts/passwords.ts'
import { AccountSummary } from '../accounts/schemas.ts'
import { addMember, assignMember } from './add-member.ts'
import { detachMember } from './detach-member.ts'
import { prepareNewAccountPassword } from './managed-accounts.ts'
import { getMember, listMembers } from './members.ts'
import { emailPassword, resetPassword } from './reset-password.ts'
import { resetSecondFactor } from './reset-second-factor.ts'
import {
  AddedMember,
  Assignment,
  CompanyOfMember,
  DetachedMember,
  MailedPassword,
  Member,
  MemberQuery,
  MemberUpdate,
  NewMember,
  OneCompany,
  OneMember,
  OneMemberOfCompany,
  SearchQuery,
  TemporaryPassword,
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
          'Fields you leave out stay the same; `roleIds` and `branchIds` replace the current ones. An inactive member keeps their account but loses access to this company.',
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
    ({ tx, actor, params, body }) => updateMember(tx, actor, params.userId, body),
  )

  api.post(
    '/companies/users/:userId/reset-password',
    {
      access: { company: 'users:update' },
      fresh: WITH_FACTOR,
      action: 'users.reset_password',
      docs: {
        operationId: 'resetMemberPassword',
        summary: 'Set a temporary password for a managed account',
        description:
          'Returns the new password. Only for accounts created by a company, and only if you can update the member in every company they belong to.',
      },
      request: { params: OneMember },
      response: { data: TemporaryPassword },
      idempotency: {
        secret: {
          isValid: ({ temporaryPassword }, { userId }) => isOnlyPassword(deps, userId, temporaryPassword),
          otherwise: 'refuse',
        },
      },
      prepare: ({ actor }) => prepareTemporaryPassword(deps, actor),
      problems: ['target_exceeds_permissions', 'account_not_managed', 'member_not_found'],
    },
    ({ tx, actor, params, prepared }) => resetPassword(tx, actor, params.userId, prepared),
  )

  api.post(
    '/companies/users/:userId/reset-second-factor',
    {
      access: { company: 'users:update' },
      fresh: FRESH,
      action: 'users.reset_second_factor',
      docs: {
        operationId: 'resetMemberSecondFactor',
        summary: 'Remove the second factors of a managed account',
        description:
          'For a member who has lost them, recovery codes included. Ends all sessions of the member, who is notified by email. Only for accounts whose password you can set.',
      },
      request: { params: OneMember },
      response: { data: Member, message: ({ name }) => `${name} signs in with the password alone now.` },
      problems: ['target_exceeds_permissions', 'account_not_managed', 'member_not_found', 'factor_not_found'],
    },
    ({ tx, actor, params }) => resetSecondFactor(tx, actor, params.userId),
  )

  api.post(
    '/companies/users/:userId/reset-password-email',
    {
      access: { company: 'users:update' },
      fresh: WITH_FACTOR,
      action: 'users.email_password',
      docs: {
        operationId: 'emailMemberPassword',
        summary: 'Email a temporary password to a member',
        description: 'Replaces the password of a managed account. Any other account keeps its own password as well.',
      },
      request: { params: OneMember },
      response: {
        data: MailedPassword,
        message: ({ emailed }) =>
          emailed
            ? 'Temporary password sent.'
            : 'Password replaced and all sessions signed out, but no email was sent: the limit of emails per hour was reached.',
      },
      prepare: ({ actor }) => prepareTemporaryPassword(deps, actor),
      problems: ['target_exceeds_permissions', 'member_not_found', 'email_limit_reached'],
    },
    ({ tx, actor, params, prepared }) => emailPassword(tx, actor, config, params.userId, prepared),
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
    ({ tx, actor, params }) => detachMember(tx, actor, params.userId),
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

  api.post(
    '/companies/:id/members',
    {
      access: { company: 'users:create', sameAs: 'id' },
      action: 'users.add',
      docs: {
        operationId: 'assignMember',
        summary: 'Add an existing account to a company',
        description: 'By account ID. `x-company-id` must match the company in the URL.',
      },
      request: { params: OneCompany, body: Assignment },
      response: {
        data: Member,
        status: 201,
        message: 'Account added to the company.',
      },
      problems: [
        'reauthentication_required',
        'grant_exceeds_permissions',
        'domain_not_allowed',
        'account_not_found',
        'already_member',
        'role_unknown',
        'branch_unknown',
        'branch_inactive',
        'email_limit_reached',
      ],
    },
    ({ tx, actor, body }) => assignMember(tx, actor, config, body),
  )

  api.delete(
    '/companies/:id/members/:userId',
    {
      access: { company: 'users:delete', sameAs: 'id' },
      action: 'users.detach',
      docs: {
        operationId: 'detachMemberFromCompany',
        summary: 'Remove a member from a company',
        description: 'Same as removing a member above. `x-company-id` must match the company in the URL.',
      },
      request: { params: OneMemberOfCompany },
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
    ({ tx, actor, params }) => detachMember(tx, actor, params.userId),
  )
}
