import { z } from 'zod'
import { WITH_FACTOR } from '../../access/freshness.ts'
import type { Deps } from '../../deps.ts'
import { NoData } from '../../http/envelope.ts'
import type { Api } from '../../http/routes.ts'
import { EmailAddress } from '../../lib/emails.ts'
import { PASSWORD_CHECKS } from '../accounts/verify-password.ts'
import { changePassword, changeTemporaryPassword } from './change-password.ts'
import { checkLink } from './check-link.ts'
import { requestLink } from './link-requests.ts'
import { resetPassword } from './reset-password.ts'
import { ChangedPassword, LinkToken, PasswordChange, PasswordReset } from './schemas.ts'

const signedOutOf = ({ signedOut }: ChangedPassword) =>
  `Password changed. All ${signedOut ? 'sessions were signed out, this one as well' : 'other sessions were signed out'}.`

export function passwords(api: Api, deps: Deps): void {
  api.post(
    '/auth/change-password',
    {
      access: 'account with any password',
      fresh: WITH_FACTOR,
      action: 'passwords.change',
      limit: PASSWORD_CHECKS,
      docs: {
        operationId: 'changePassword',
        summary: 'Change my password',
        description:
          'Ends all other sessions of the account, and with `compromised` this one as well. Links that were emailed before no longer work, but those for a new password do where an administrator was shown the former one, and a pending change of email address is canceled.',
      },
      request: { body: PasswordChange },
      response: { data: ChangedPassword, message: signedOutOf },
      idempotency: { keyIncludesBody: true },
      problems: ['current_password_wrong', 'password_unchanged', 'too_many_attempts', 'email_limit_reached'],
    },
    ({ actor, body }) => changePassword(deps, actor, body),
  )

  api.post(
    '/auth/change-temporary-password',
    {
      access: 'account with any password',
      fresh: WITH_FACTOR,
      action: 'passwords.change',
      limit: PASSWORD_CHECKS,
      docs: {
        operationId: 'changeTemporaryPassword',
        summary: 'Replace my temporary password',
        description:
          'Ends all other sessions of the account, and with `compromised` this one as well. Links that were emailed before no longer work, but those for a new password do where an administrator was shown the former one, and a pending change of email address is canceled.',
      },
      request: { body: PasswordChange },
      response: { data: ChangedPassword, message: signedOutOf },
      idempotency: { keyIncludesBody: true },
      problems: [
        'no_temporary_password',
        'current_password_wrong',
        'password_unchanged',
        'too_many_attempts',
        'email_limit_reached',
      ],
    },
    ({ actor, body }) => changeTemporaryPassword(deps, actor, body),
  )

  api.post(
    '/auth/forgot-password',
    {
      access: 'anyone',
      action: 'passwords.request_reset',
      limit: { name: 'forgot-password', requests: 3, perSeconds: 60 },
      docs: {
        operationId: 'requestPasswordReset',
        summary: 'Request a password reset link',
        description: 'The response is the same whether or not an account exists.',
      },
      request: { body: z.object({ email: EmailAddress }) },
      response: {
        data: NoData,
        message: 'If an account exists for this address, we’ve sent it a link that’s valid for 15 minutes.',
      },
    },
    ({ body, caller }) => requestLink(deps, 'reset_password', body.email, caller),
  )

  api.post(
    '/auth/reset-password',
    {
      access: 'anyone',
      action: 'passwords.reset',
      limit: { name: 'reset-password', requests: 3, perSeconds: 60 },
      docs: {
        operationId: 'resetPassword',
        summary: 'Reset a password',
        description: 'Sets a new password with the token from an emailed link. Ends all sessions of the account.',
      },
      request: { body: PasswordReset },
      response: { data: NoData, message: 'Password changed. Sign in with your new password.' },
      problems: ['link_invalid'],
    },
    ({ body, caller }) => resetPassword(deps, body, caller),
  )

  api.post(
    '/auth/reset-password/check',
    {
      access: 'anyone',
      action: 'passwords.check_reset_link',
      limit: { name: 'reset-password-check', requests: 3, perSeconds: 60 },
      docs: {
        operationId: 'checkPasswordResetLink',
        summary: 'Check a password reset link',
        description:
          'Returns 200 if the link can be used now. The link stays valid. Check it before asking for a new password.',
      },
      request: { body: LinkToken },
      response: { data: NoData, message: 'The link is valid.' },
      problems: ['link_invalid'],
    },
    ({ body }) => checkLink(deps, body.token, ['reset_password']),
  )
}
