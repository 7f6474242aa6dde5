import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { isOnlyPassword, prepareTemporaryPassword } from '../accounts/passwords.ts'
import { AccountSummary } from '../accounts/schemas.ts'
import { addMember, assignMember } from './add-member.ts'
import { detachMember } from './detach-member.ts'
import { prepareNewAccountPassword } from './managed-accounts.ts'
import { getMember, listMembers } from './members.ts'
import { emailPassword, resetPassword } from './reset-password.ts'
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
import { companiesOfMember, searchAccounts } from './search.ts'
import { updateMember } from './update-member.ts'

export function members(api: Api, service: Deps): void {
  const { config } = service

  api.list(
    '/companies/users',
    {
      access: { company: 'users:read' },
      action: 'users.list',
      docs: {
        operationId: 'listMembers',
        summary: 'The members of the company',
        description: 'Inactive ones too, unless `status` says otherwise.',
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
        summary: 'Find somebody to add',
        description:
          'Members of companies where you may read them, by a fragment; anybody else by the exact address. At most 20.',
      },
      request: { query: SearchQuery },
      response: { data: z.array(AccountSummary) },
    },
    ({ tx, query }) => searchAccounts(tx, query.q),
  )

  api.post(
    '/companies/users',
    {
      access: { company: 'users:create' },
      action: 'users.add',
      docs: {
        operationId: 'addMember',
        summary: 'Add a member by e-mail address',
        description: 'Makes an account with a mailed temporary password, or links the account that the address has.',
      },
      request: { body: NewMember },
      response: {
        data: AddedMember,
        status: 201,
        message: ({ isNewUser }) =>
          isNewUser ? 'The account was made and a temporary password sent.' : 'The account was linked to the company.',
      },
      prepare: ({ actor, body }) => prepareNewAccountPassword(service, actor, body.email),
      problems: [
        'grant_exceeds_permissions',
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
        summary: 'One member',
        description:
          'Its ETag goes into `If-Match` of a change, which is then refused when the member has changed since.',
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
        summary: 'Change a member',
        description:
          'What is left out stays; `roleIds` and `branchIds` replace what the member has. An inactive member keeps the account and loses this company.',
      },
      request: { params: OneMember, body: MemberUpdate },
      response: { data: Member, message: 'The member is saved.' },
      version: {
        etag: true,
        current: ({ tx, params }) => getMember(tx, params.userId),
      },
      problems: [
        'grant_exceeds_permissions',
        'target_exceeds_permissions',
        'member_not_found',
        'version_mismatch',
        'member_without_role',
        'role_unknown',
        'branch_unknown',
        'branch_inactive',
        'last_owner',
      ],
    },
    ({ tx, actor, params, body }) => updateMember(tx, actor, params.userId, body),
  )

  api.post(
    '/companies/users/:userId/reset-password',
    {
      access: { company: 'users:update' },
      action: 'users.reset_password',
      docs: {
        operationId: 'resetMemberPassword',
        summary: 'Replace the password of a managed account and show the new one',
        description:
          'Only for an account that a company made, by who may change it in every company that it belongs to.',
      },
      request: { params: OneMember },
      response: { data: TemporaryPassword },
      idempotency: {
        secret: {
          isValid: ({ temporaryPassword }, { userId }) => isOnlyPassword(service, userId, temporaryPassword),
          otherwise: 'refuse',
        },
      },
      prepare: ({ actor }) => prepareTemporaryPassword(service, actor),
      problems: ['target_exceeds_permissions', 'account_not_managed', 'member_not_found'],
    },
    ({ tx, actor, params, prepared }) => resetPassword(tx, actor, params.userId, prepared),
  )

  api.post(
    '/companies/users/:userId/reset-password-email',
    {
      access: { company: 'users:update' },
      action: 'users.email_password',
      docs: {
        operationId: 'emailMemberPassword',
        summary: 'Mail a temporary password to a member',
        description:
          'Replaces the password of a managed account and ends its sessions, also when no email could be sent; any other account keeps its own password beside it.',
      },
      request: { params: OneMember },
      response: {
        data: MailedPassword,
        message: ({ emailed }) =>
          emailed
            ? 'A temporary password is on its way.'
            : 'The password was replaced and every session ended, but no email was sent: too many were sent within the hour.',
      },
      prepare: ({ actor }) => prepareTemporaryPassword(service, actor),
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
        summary: 'Detach a member',
        description: 'The account is not deleted. The only Owner of a company can’t be detached.',
      },
      request: { params: OneMember },
      response: {
        data: DetachedMember,
        message: 'The member is detached; the account lives on.',
      },
      version: { current: ({ tx, params }) => getMember(tx, params.userId) },
      idempotency: { replayAfterAccessLoss: true },
      problems: ['target_exceeds_permissions', 'member_not_found', 'version_mismatch', 'last_owner'],
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
        summary: 'The companies of a member in which I may read members',
        description: 'With the roles that the member has in each.',
      },
      request: { params: OneMember },
      response: { data: z.array(CompanyOfMember) },
      problems: ['member_not_found'],
    },
    ({ tx, params }) => companiesOfMember(tx, params.userId),
  )

  api.post(
    '/companies/:id/members',
    {
      access: { company: 'users:create', sameAs: 'id' },
      action: 'users.add',
      docs: {
        operationId: 'assignMember',
        summary: 'Assign an existing account to the company',
        description: 'By the id of the account; `x-company-id` must name the same company as the address.',
      },
      request: { params: OneCompany, body: Assignment },
      response: {
        data: Member,
        status: 201,
        message: 'The account was assigned to the company.',
      },
      problems: [
        'grant_exceeds_permissions',
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
        summary: 'Remove a member from the company',
        description: 'As detaching; `x-company-id` must name the same company as the address.',
      },
      request: { params: OneMemberOfCompany },
      response: {
        data: DetachedMember,
        message: 'The member is detached; the account lives on.',
      },
      version: { current: ({ tx, params }) => getMember(tx, params.userId) },
      idempotency: { replayAfterAccessLoss: true },
      problems: ['target_exceeds_permissions', 'member_not_found', 'version_mismatch', 'last_owner'],
    },
    ({ tx, actor, params }) => detachMember(tx, actor, params.userId),
  )
}
