import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { Nothing } from '../../http/envelope.ts'
import type { Api } from '../../http/routes.ts'
import { EmailAddress } from '../../lib/emails.ts'
import { changePassword, changeTemporaryPassword } from './change-password.ts'
import { requestPasswordReset } from './password-reset-requests.ts'
import { resetPassword } from './reset-password.ts'
import { PasswordChange, PasswordReset } from './schemas.ts'

export function passwords(api: Api, service: Deps): void {
  api.post(
    '/auth/change-password',
    {
      access: 'account with any password',
      action: 'passwords.change',
      docs: {
        operationId: 'changePassword',
        summary: 'Change the password',
        description: 'Ends every other session of the account.',
      },
      request: { body: PasswordChange },
      response: {
        data: Nothing,
        message: 'The password is changed. Every other session has ended.',
      },
      idempotency: { keyIncludesBody: true },
      problems: ['current_password_wrong', 'password_unchanged', 'too_many_attempts', 'email_limit_reached'],
    },
    ({ actor, body }) => changePassword(service, actor, body),
  )

  api.post(
    '/auth/change-temporary-password',
    {
      access: 'account with any password',
      action: 'passwords.change',
      docs: {
        operationId: 'changeTemporaryPassword',
        summary: 'Replace a temporary password by one of your own',
        description: 'Ends every other session of the account.',
      },
      request: { body: PasswordChange },
      response: {
        data: Nothing,
        message: 'The password is changed. Every other session has ended.',
      },
      idempotency: { keyIncludesBody: true },
      problems: [
        'no_temporary_password',
        'current_password_wrong',
        'password_unchanged',
        'too_many_attempts',
        'email_limit_reached',
      ],
    },
    ({ actor, body }) => changeTemporaryPassword(service, actor, body),
  )

  api.post(
    '/auth/forgot-password',
    {
      access: 'anyone',
      action: 'passwords.request_reset',
      limit: { name: 'forgot-password', requests: 3, perSeconds: 60 },
      docs: {
        operationId: 'requestPasswordReset',
        summary: 'Ask for a link to set a new password',
        description: 'The answer is the same whether the address has an account or not.',
      },
      request: { body: z.object({ email: EmailAddress }) },
      response: {
        data: Nothing,
        message: 'If the address has an account, a link valid for 15 minutes is on its way.',
      },
    },
    ({ body, caller }) => requestPasswordReset(service, body.email, caller),
  )

  api.post(
    '/auth/reset-password',
    {
      access: 'anyone',
      action: 'passwords.reset',
      limit: { name: 'reset-password', requests: 3, perSeconds: 60 },
      docs: {
        operationId: 'resetPassword',
        summary: 'Set a new password by the token in a letter',
        description: 'Ends every session of the account.',
      },
      request: { body: PasswordReset },
      response: { data: Nothing, message: 'The password is set. Sign in with it.' },
      problems: ['link_invalid'],
    },
    ({ body, caller }) => resetPassword(service, body, caller),
  )
}
