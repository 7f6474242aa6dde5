import { z } from 'zod'
import { WITH_FACTOR } from '../../access/freshness.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { NoData } from '../../http/envelope.ts'
import type { Api } from '../../http/routes.ts'
import { EmailAddress } from '../../lib/emails.ts'
import { User } from '../accounts/schemas.ts'
import { checkLink } from './check-link.ts'
import { requestLink } from './link-requests.ts'
import { cancelEmailChange, resendEmailChange, updateProfile } from './profile.ts'
import { opensSession } from './refresh-replay.ts'
import { register } from './register.ts'
import { LinkToken, ProfileUpdate, Registration, SessionContext, SignedIn } from './schemas.ts'
import { CONTEXT_COLUMNS, type ContextRow, completeContext } from './session-context.ts'
import { checkUndoLink, undoEmailChange } from './undo-email-change.ts'
import { verificationPurposes, verifyEmail } from './verify-email.ts'

export function accounts(api: Api, deps: Deps): void {
  const { database } = deps

  api.post(
    '/auth/register',
    {
      access: 'anyone',
      action: 'accounts.register',
      limit: { name: 'register', requests: 5, perSeconds: 60 },
      docs: {
        operationId: 'register',
        summary: 'Sign up and create a company',
        description: 'Creates an account and its first company. You become its owner and are signed in.',
        tag: 'Sign up and sign in',
      },
      request: { body: Registration },
      response: { data: SignedIn, status: 201 },
      ...opensSession(deps),
      problems: ['sign_up_closed', 'email_taken', 'email_reserved', 'slug_taken', 'company_name_taken'],
    },
    ({ body, caller }) => register(deps, body, caller),
  )

  api.get(
    '/auth/me',
    {
      access: 'account',
      action: 'accounts.get',
      docs: {
        operationId: 'getMe',
        summary: 'Get my account',
        description: 'Returns the same data as signing in, up to date and without tokens.',
      },
      response: { data: SessionContext },
      // One statement for most accounts, because front ends request this most often.
      readsWithSession: CONTEXT_COLUMNS,
    },
    ({ session, actor }) =>
      completeContext(database.autocommit(asAccount(actor.accountId)), session as ContextRow, actor),
  )

  api.put(
    '/auth/profile',
    {
      access: 'account',
      action: 'accounts.update',
      // Written to each membership under the account's lock, for which every way back from an intruder waits, and on a connection that others
      // wait for. By account, which may have thousands of sessions.
      limit: { name: 'profile', requests: 30, perSeconds: 60, by: 'account' },
      docs: {
        operationId: 'updateProfile',
        summary: 'Update my profile',
        description:
          'Fields you leave out stay the same. A new email address takes effect once you confirm it with the link we send to it. If you have a second factor, a new address also needs a session that has proved it in the last 10 minutes.',
      },
      request: { body: ProfileUpdate },
      response: {
        data: User,
        message: ({ pending_email }) =>
          pending_email
            ? `Profile saved. To confirm your new address, open the link we sent to ${pending_email}.`
            : 'Profile saved.',
      },
      problems: ['reauthentication_required', 'email_taken', 'email_reserved', 'email_limit_reached'],
    },
    ({ actor, body }) => updateProfile(deps, actor, body),
  )

  api.post(
    '/auth/profile/email/resend',
    {
      access: 'account',
      fresh: WITH_FACTOR,
      action: 'accounts.resend_email_change',
      docs: {
        operationId: 'resendEmailChange',
        summary: 'Resend the confirmation link to my new email address',
        description: 'Earlier links stop working.',
      },
      response: { data: NoData, message: 'Confirmation link sent again.' },
      problems: ['pending_email_not_found', 'email_limit_reached'],
    },
    ({ actor }) => resendEmailChange(deps, actor),
  )

  api.post(
    '/auth/profile/email/cancel',
    {
      access: 'account',
      action: 'accounts.cancel_email_change',
      docs: {
        operationId: 'cancelEmailChange',
        summary: 'Cancel a pending email change',
        description: 'Its links stop working.',
      },
      response: { data: NoData, message: 'Email change canceled. Your address stays the same.' },
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
        summary: 'Confirm an email address',
        description:
          'Uses the token from an emailed link. A pending email change takes effect. A link is valid for 24 hours and works only once.',
      },
      request: { body: LinkToken },
      response: { data: NoData, message: 'Email address confirmed.' },
      problems: ['link_invalid', 'email_taken', 'email_reserved'],
    },
    ({ body, caller }) => verifyEmail(deps, body.token, caller),
  )

  api.post(
    '/auth/verify-email/resend',
    {
      access: 'anyone',
      action: 'accounts.resend_confirmation',
      limit: { name: 'resend-confirmation', requests: 3, perSeconds: 60 },
      docs: {
        operationId: 'resendConfirmation',
        summary: 'Resend the confirmation of a sign-up',
        description:
          'Sends a new link while the address is unverified; earlier ones stop working. The response is the same whether or not an account has the address.',
        tag: 'Sign up and sign in',
      },
      request: { body: z.object({ email: EmailAddress }) },
      response: {
        data: NoData,
        message: 'If an account with this email address is waiting for confirmation, a new link is on its way.',
      },
    },
    ({ body, caller }) => requestLink(deps, 'confirm_email', body.email, caller),
  )

  api.post(
    '/auth/undo-email-change',
    {
      access: 'anyone',
      action: 'accounts.undo_email_change',
      limit: { name: 'undo-email-change', requests: 10, perSeconds: 60 },
      docs: {
        operationId: 'undoEmailChange',
        summary: 'Undo a change of email address',
        description:
          'Takes the token from the email to the previous address, valid for 7 days and once. Restores that address, ends all sessions, removes the password, cancels a pending change, and emails a link to choose a new password. In companies that the account has joined since the change, or was added to, it is an inactive member afterwards, unless it is the only owner whose account isn’t disabled.',
      },
      request: { body: LinkToken },
      response: {
        data: NoData,
        message: 'Your email address is restored. We’ve emailed you a link to choose a new password.',
      },
      problems: ['link_invalid', 'email_taken'],
    },
    ({ body, caller }) => undoEmailChange(deps, body.token, caller),
  )

  api.post(
    '/auth/undo-email-change/check',
    {
      access: 'anyone',
      action: 'accounts.check_undo_link',
      limit: { name: 'undo-email-change-check', requests: 10, perSeconds: 60 },
      docs: {
        operationId: 'checkUndoLink',
        summary: 'Check a link to undo a change of email address',
        description: 'Returns 200 if the link can be used now. The link stays valid.',
      },
      request: { body: LinkToken },
      response: { data: NoData, message: 'The link is valid.' },
      problems: ['link_invalid'],
    },
    ({ body }) => checkUndoLink(deps, body.token),
  )

  api.post(
    '/auth/verify-email/check',
    {
      access: 'anyone',
      action: 'accounts.check_verification_link',
      limit: { name: 'verify-email-check', requests: 10, perSeconds: 60 },
      docs: {
        operationId: 'checkVerificationLink',
        summary: 'Check a verification link',
        description: 'Returns 200 if the link can be used now. The link stays valid.',
      },
      request: { body: LinkToken },
      response: { data: NoData, message: 'The link is valid.' },
      problems: ['link_invalid'],
    },
    ({ body }) => checkLink(deps, body.token, verificationPurposes),
  )
}
