import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { assignMember } from './add-member.ts'
import { detachMember } from './detach-member.ts'
import { getMember } from './members.ts'
import { Assignment, DetachedMember, Member, OneCompany, OneMemberOfCompany } from './schemas.ts'

/** Accounts by their id, in the company that the URL names. */
export function memberAssignments(api: Api, deps: Deps): void {
  const { config } = deps

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
        'added_company_limit_reached',
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
    ({ tx, actor, params }) => detachMember(tx, actor, config, params.userId),
  )
}
