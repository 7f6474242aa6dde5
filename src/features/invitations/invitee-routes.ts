import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { NoData } from '../../http/envelope.ts'
import type { Api } from '../../http/routes.ts'
import { MAILBOX_PROBLEMS } from '../accounts/confirm-mailbox.ts'
import { MailboxConfirmation } from '../accounts/schemas.ts'
import { opensSession } from '../auth/refresh-replay.ts'
import { LinkToken, SignedIn } from '../auth/schemas.ts'
import { acceptById, acceptByToken } from './accept-invitation.ts'
import { declineById, declineByToken } from './decline-invitation.ts'
import { listOwnInvitations, previewInvitation } from './find-invitation.ts'
import { registerInvited } from './register-invited.ts'
import { InvitationPreview, InvitedRegistration, JoinedCompany, OneInvitation, OwnInvitation } from './schemas.ts'

const PATH = '/auth/invitations'

const joinedMessage = ({ company }: JoinedCompany) => `You’re a member of ${company.name}.`

/** What the person does who was invited: with the token in the email, or signed in. */
export function invitees(api: Api, deps: Deps): void {
  withToken(api, deps)
  withAccount(api, deps)
}

function withToken(api: Api, deps: Deps): void {
  api.post(
    `${PATH}/preview`,
    {
      access: 'anyone',
      action: 'invitations.preview',
      limit: { name: 'invitation-preview', requests: 10, perSeconds: 60 },
      docs: {
        operationId: 'previewInvitation',
        summary: 'Look at an invitation',
        description: 'Takes the token from the emailed link, which stays valid. Says who invites and how to accept.',
      },
      request: { body: LinkToken },
      response: { data: InvitationPreview },
      problems: ['link_invalid'],
    },
    ({ body }) => previewInvitation(deps, body.token),
  )

  api.post(
    `${PATH}/register`,
    {
      access: 'anyone',
      action: 'invitations.register',
      limit: { name: 'register', requests: 5, perSeconds: 60 },
      docs: {
        operationId: 'registerInvited',
        summary: 'Accept an invitation with a new account',
        description:
          'Creates an account with the address of the invitation, which the token verifies, joins the company, and signs in. Creates no company. Also where sign-up is `invited`.',
      },
      request: { body: InvitedRegistration },
      response: { data: SignedIn, status: 201 },
      ...opensSession(deps),
      problems: ['link_invalid', 'sign_up_closed', 'email_taken', 'email_reserved', 'invitation_no_longer_valid'],
    },
    ({ body, caller }) => registerInvited(deps, body, caller),
  )

  api.post(
    `${PATH}/accept`,
    {
      access: 'account',
      action: 'invitations.accept',
      docs: {
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation',
        description:
          'Takes the token from the emailed link, and verifies your address by it. A membership that you already have stays as it is. Repeating it returns the same response.',
      },
      request: { body: LinkToken },
      response: { data: JoinedCompany, message: joinedMessage },
      problems: [
        'link_invalid',
        'invitation_for_another',
        'email_verification_required',
        'invitation_no_longer_valid',
        'company_limit_reached',
      ],
    },
    ({ actor, body }) => acceptByToken(deps, actor, body.token),
  )

  api.post(
    `${PATH}/decline`,
    {
      access: 'anyone',
      action: 'invitations.decline',
      limit: { name: 'invitation-decline', requests: 10, perSeconds: 60 },
      docs: {
        operationId: 'declineInvitation',
        summary: 'Decline an invitation',
        description: 'Takes the token from the emailed link. Needs no account.',
      },
      request: { body: LinkToken },
      response: { data: NoData, message: 'Invitation declined.' },
      problems: ['link_invalid'],
    },
    ({ body, caller }) => declineByToken(deps, body.token, caller),
  )
}

function withAccount(api: Api, deps: Deps): void {
  api.get(
    PATH,
    {
      access: 'account',
      action: 'invitations.list_own',
      docs: {
        operationId: 'listOwnInvitations',
        summary: 'List invitations to me',
        description:
          'Pending ones to your email address, newest first, up to 100. None while your address isn’t verified.',
      },
      response: { data: z.array(OwnInvitation) },
    },
    ({ actor }) => listOwnInvitations(deps.database, actor),
  )

  api.post(
    `${PATH}/:invitationId/accept`,
    {
      access: 'account',
      action: 'invitations.accept',
      docs: {
        operationId: 'acceptOwnInvitation',
        summary: 'Accept an invitation to me',
        description:
          'Without a token. Needs a verified email address, to which the invitation was sent. Your session first confirms your mailbox, once for joining and answering: 403 `mailbox_code_required` says that a code was sent.',
      },
      request: { params: OneInvitation, body: MailboxConfirmation },
      response: { data: JoinedCompany, message: joinedMessage },
      idempotency: { keyIncludesBody: true },
      problems: [
        'company_limit_reached',
        ...MAILBOX_PROBLEMS,
        'email_verification_required',
        'invitation_not_found',
        'invitation_not_pending',
        'invitation_no_longer_valid',
      ],
    },
    ({ actor, params, body }) => acceptById(deps, actor, params.invitationId, body),
  )

  api.post(
    `${PATH}/:invitationId/decline`,
    {
      access: 'account',
      action: 'invitations.decline',
      docs: {
        operationId: 'declineOwnInvitation',
        summary: 'Decline an invitation to me',
        description:
          'Without a token. Needs a verified email address, to which the invitation was sent, and a session that has confirmed its mailbox, as for accepting.',
      },
      request: { params: OneInvitation, body: MailboxConfirmation },
      response: { data: NoData, message: 'Invitation declined.' },
      idempotency: { keyIncludesBody: true },
      problems: [...MAILBOX_PROBLEMS, 'email_verification_required', 'invitation_not_found', 'invitation_not_pending'],
    },
    ({ actor, params, body }) => declineById(deps, actor, params.invitationId, body),
  )
}
