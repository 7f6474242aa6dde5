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
      operationId: 'changePassword',
      summary: 'Change the password',
      description: 'Ends every other session of the account.',
      guessable: true,
      body: PasswordChange,
      answer: Nothing,
      message: 'The password is changed. Every other session has ended.',
      problems: ['current_password_wrong', 'password_unchanged', 'too_many_attempts', 'email_limit_reached'],
    },
    ({ actor, body }) => changePassword(service, actor, body),
  )

  api.post(
    '/auth/change-temporary-password',
    {
      access: 'account with any password',
      action: 'passwords.change',
      operationId: 'changeTemporaryPassword',
      summary: 'Replace a temporary password by one of your own',
      description: 'Ends every other session of the account.',
      guessable: true,
      body: PasswordChange,
      answer: Nothing,
      message: 'The password is changed. Every other session has ended.',
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
      operationId: 'requestPasswordReset',
      summary: 'Ask for a link to set a new password',
      description: 'The answer is the same whether the address has an account or not.',
      limit: { name: 'forgot-password', requests: 3, perSeconds: 60 },
      body: z.object({ email: EmailAddress }),
      answer: Nothing,
      message: 'If the address has an account, a link valid for 15 minutes is on its way.',
    },
    ({ body, caller }) => requestPasswordReset(service, body.email, caller),
  )

  api.post(
    '/auth/reset-password',
    {
      access: 'anyone',
      action: 'passwords.reset',
      operationId: 'resetPassword',
      summary: 'Set a new password by the token in a letter',
      description: 'Ends every session of the account.',
      limit: { name: 'reset-password', requests: 3, perSeconds: 60 },
      body: PasswordReset,
      answer: Nothing,
      message: 'The password is set. Sign in with it.',
      problems: ['link_invalid'],
    },
    ({ body, caller }) => resetPassword(service, body, caller),
  )
}
