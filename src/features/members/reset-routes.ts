import { FRESH, WITH_FACTOR } from '../../access/freshness.ts'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { isOnlyPassword, prepareTemporaryPassword } from '../accounts/passwords.ts'
import { emailPassword, resetPassword } from './reset-password.ts'
import { resetSecondFactor } from './reset-second-factor.ts'
import { MailedPassword, Member, OneMember, TemporaryPassword } from './schemas.ts'

/** For members who have lost their password or second factors. */
export function memberResets(api: Api, deps: Deps): void {
  const { config } = deps

  api.post(
    '/companies/users/:userId/reset-password',
    {
      access: { company: 'users:update' },
      fresh: WITH_FACTOR,
      action: 'users.reset_password',
      vouches: true,
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
    '/companies/users/:userId/reset-password-email',
    {
      access: { company: 'users:update' },
      fresh: WITH_FACTOR,
      action: 'users.email_password',
      docs: {
        operationId: 'emailMemberPassword',
        summary: 'Email a temporary password to a member',
        description:
          'Replaces the password of an account that the company created, if you can update the member in every company they belong to. Any other account keeps its own password as well. `replaced` tells which it was.',
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
}
