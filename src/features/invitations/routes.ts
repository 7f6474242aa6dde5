import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { createInvitation } from './create-invitation.ts'
import { resendInvitation, revokeInvitation, updateInvitation } from './edit-invitation.ts'
import { getInvitation, listInvitations } from './invitations.ts'
import {
  Invitation,
  InvitationQuery,
  InvitationUpdate,
  NewInvitation,
  OneInvitation,
  RevokedInvitation,
} from './schemas.ts'

const PATH = '/companies/invitations'
const ONE = `${PATH}/:invitationId`

/** What a company does with its invitations. */
export function invitations(api: Api, { config }: Deps): void {
  api.list(
    PATH,
    {
      access: { company: 'users:read' },
      action: 'invitations.list',
      docs: {
        operationId: 'listInvitations',
        summary: 'List invitations',
        description: 'Includes those that were answered, revoked or have expired, for 90 days.',
      },
      request: { query: InvitationQuery },
      response: { data: Invitation },
    },
    ({ tx, query }) => listInvitations(tx, query),
  )

  api.post(
    PATH,
    {
      access: { company: 'users:create' },
      action: 'invitations.create',
      vouches: true,
      docs: {
        operationId: 'createInvitation',
        summary: 'Invite a person by email',
        description:
          'Emails a link, which only that address gets. The person becomes a member by accepting, with an existing account or a new one; the response doesn’t tell which.',
      },
      request: { body: NewInvitation },
      response: { data: Invitation, status: 201, message: ({ email }) => `Invitation sent to ${email}.` },
      problems: [
        'reauthentication_required',
        'grant_exceeds_permissions',
        'domain_not_allowed',
        'already_member',
        'invitation_pending',
        'role_unknown',
        'branch_unknown',
        'branch_inactive',
        'invitation_limit_reached',
        'email_limit_reached',
      ],
    },
    ({ tx, actor, body }) => createInvitation(tx, actor, config, body),
  )

  api.get(
    ONE,
    {
      access: { company: 'users:read' },
      action: 'invitations.get',
      docs: {
        operationId: 'getInvitation',
        summary: 'Get an invitation',
        description: 'Send its ETag in `If-Match` when you edit it. No one can get the link: only the email has it.',
      },
      request: { params: OneInvitation },
      response: { data: Invitation },
      version: { etag: true },
      problems: ['invitation_not_found'],
    },
    ({ tx, params }) => getInvitation(tx, params.invitationId),
  )

  api.patch(
    ONE,
    {
      access: { company: 'users:create' },
      action: 'invitations.update',
      vouches: true,
      docs: {
        operationId: 'updateInvitation',
        summary: 'Edit a pending invitation',
        description:
          'Fields you leave out stay the same. You become its inviter. The link in the email stays the same, and no email is sent.',
      },
      request: { params: OneInvitation, body: InvitationUpdate },
      response: { data: Invitation, message: 'Invitation saved.' },
      version: {
        etag: true,
        current: ({ tx, params }) => getInvitation(tx, params.invitationId),
      },
      problems: [
        'reauthentication_required',
        'grant_exceeds_permissions',
        'target_exceeds_permissions',
        'invitation_not_found',
        'version_mismatch',
        'invitation_not_pending',
        'member_without_role',
        'role_unknown',
        'branch_unknown',
        'branch_inactive',
      ],
    },
    ({ tx, actor, params, body }) => updateInvitation(tx, actor, params.invitationId, body),
  )

  api.post(
    `${ONE}/resend`,
    {
      access: { company: 'users:create' },
      action: 'invitations.resend',
      vouches: true,
      docs: {
        operationId: 'resendInvitation',
        summary: 'Send an invitation again',
        description:
          'With a new link, which is valid for as many days as the first one; earlier links stop working. You become its inviter. If the email is refused because of a limit, nothing changes.',
      },
      request: { params: OneInvitation },
      response: { data: Invitation, message: ({ email }) => `Invitation sent again to ${email}.` },
      problems: [
        'reauthentication_required',
        'target_exceeds_permissions',
        'domain_not_allowed',
        'invitation_not_found',
        'invitation_not_pending',
        'email_limit_reached',
      ],
    },
    ({ tx, actor, params }) => resendInvitation(tx, actor, config, params.invitationId),
  )

  api.delete(
    ONE,
    {
      access: { company: 'users:create' },
      action: 'invitations.revoke',
      docs: {
        operationId: 'revokeInvitation',
        summary: 'Cancel a pending invitation',
        description: 'Its link stops working. The person isn’t notified.',
      },
      request: { params: OneInvitation },
      response: { data: RevokedInvitation, message: 'Invitation canceled.' },
      problems: ['target_exceeds_permissions', 'invitation_not_found', 'invitation_not_pending'],
    },
    ({ tx, actor, params }) => revokeInvitation(tx, actor, params.invitationId),
  )
}
