import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { Nothing } from '../../http/envelope.ts'
import type { Api } from '../../http/routes.ts'
import { User } from '../accounts/schemas.ts'
import { cancelEmailChange, resendEmailChange, updateProfile } from './profile.ts'
import { canReplayTokens } from './refresh-replay.ts'
import { register } from './register.ts'
import { LinkToken, ProfileUpdate, Registration, SessionContext, SignedIn } from './schemas.ts'
import { getSessionContext } from './session-context.ts'
import { verifyEmail } from './verify-email.ts'

export function accounts(api: Api, service: Deps): void {
  const { database } = service

  api.post(
    '/auth/register',
    {
      access: 'anyone',
      action: 'accounts.register',
      limit: { name: 'register', requests: 5, perSeconds: 60 },
      docs: {
        operationId: 'register',
        summary: 'Sign up, with a first company',
        description: 'The caller becomes the Owner of the company and is signed in.',
        tag: 'Sign up and sign in',
      },
      request: { body: Registration },
      response: { data: SignedIn, status: 201 },
      idempotency: {
        secret: {
          isValid: ({ refreshToken }) => canReplayTokens(service, refreshToken),
          otherwise: 'repeat',
        },
      },
      problems: ['email_taken', 'slug_taken', 'company_name_taken'],
    },
    ({ body, caller }) => register(service, body, caller),
  )

  api.get(
    '/auth/me',
    {
      access: 'account',
      action: 'accounts.get',
      docs: {
        operationId: 'getMe',
        summary: 'Who am I, and what may I do where?',
        description: 'What signing in answers, as it is now, without tokens.',
      },
      response: { data: SessionContext },
    },
    ({ actor }) => getSessionContext(database.autocommit(asAccount(actor.accountId)), actor.accountId, actor.sessionId),
  )

  api.put(
    '/auth/profile',
    {
      access: 'account',
      action: 'accounts.update',
      docs: {
        operationId: 'updateProfile',
        summary: 'Change the profile',
        description: 'What is left out stays. A new e-mail address counts once the link sent to it was followed.',
      },
      request: { body: ProfileUpdate },
      response: {
        data: User,
        message: ({ pending_email }) =>
          pending_email ? `Profile saved. Follow the link that was sent to ${pending_email}.` : 'Profile saved.',
      },
      problems: ['email_taken', 'email_limit_reached'],
    },
    ({ actor, body }) => updateProfile(service, actor, body),
  )

  api.post(
    '/auth/profile/email/resend',
    {
      access: 'account',
      action: 'accounts.resend_email_change',
      docs: {
        operationId: 'resendEmailChange',
        summary: 'Send the link to the pending address again',
        description: 'Earlier links stop working.',
      },
      response: { data: Nothing, message: 'The link was sent again.' },
      problems: ['pending_email_not_found', 'email_limit_reached'],
    },
    ({ actor }) => resendEmailChange(service, actor),
  )

  api.post(
    '/auth/profile/email/cancel',
    {
      access: 'account',
      action: 'accounts.cancel_email_change',
      docs: {
        operationId: 'cancelEmailChange',
        summary: 'Give up the pending change of the address',
        description: 'Its links stop working.',
      },
      response: { data: Nothing, message: 'The address stays as it was.' },
      problems: ['pending_email_not_found'],
    },
    ({ actor }) => cancelEmailChange(database, actor),
  )

  api.post(
    '/auth/verify-email',
    {
      access: 'anyone',
      action: 'accounts.verify_email',
      limit: { name: 'verify-email', requests: 10, perSeconds: 60 },
      docs: {
        operationId: 'verifyEmail',
        summary: 'Prove an address by the token in a letter',
        description: 'A pending change of the address takes effect. A link holds for 24 hours and works once.',
      },
      request: { body: LinkToken },
      response: { data: Nothing, message: 'The address is verified.' },
      problems: ['link_invalid', 'email_taken'],
    },
    ({ body, caller }) => verifyEmail(service, body.token, caller),
  )
}
