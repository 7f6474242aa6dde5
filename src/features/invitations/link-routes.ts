import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { MAILBOX_PROBLEMS } from '../accounts/confirm-mailbox.ts'
import { isLinkKept, joinByLink } from './join-by-link.ts'
import { createLink, getLink, listLinks, revokeLink } from './links.ts'
import {
  CreatedInvitationLink,
  InvitationLink,
  InvitationLinkQuery,
  JoinedCompany,
  LinkToJoin,
  NewInvitationLink,
  OneInvitationLink,
  RevokedInvitation,
} from './schemas.ts'

const PATH = '/companies/invitation-links'
const ONE = `${PATH}/:linkId`

/** Links that a company hands out itself. */
export function invitationLinks(api: Api, deps: Deps): void {
  api.list(
    PATH,
    {
      access: { company: 'users:read' },
      action: 'invitation_links.list',
      docs: {
        operationId: 'listInvitationLinks',
        summary: 'List invitation links',
        description: 'Includes those that are used up, revoked or have expired, for 90 days. None shows its token.',
      },
      request: { query: InvitationLinkQuery },
      response: { data: InvitationLink },
    },
    ({ tx, query }) => listLinks(tx, query),
  )

  api.post(
    PATH,
    {
      access: { company: 'users:create' },
      action: 'invitation_links.create',
      docs: {
        operationId: 'createInvitationLink',
        summary: 'Create an invitation link',
        description:
          'Returns a token, once, to pass on: each person with it and a verified address can join, until it is used up. You must still be able to give its roles when they do.',
      },
      request: { body: NewInvitationLink },
      response: { data: CreatedInvitationLink, status: 201, message: 'Link created. Its token is shown only now.' },
      idempotency: { secret: { isValid: ({ token }) => isLinkKept(deps, token), otherwise: 'refuse' } },
      problems: ['reauthentication_required', 'grant_exceeds_permissions', 'role_unknown', 'invitation_limit_reached'],
    },
    ({ tx, actor, body }) => createLink(tx, actor, body),
  )

  api.get(
    ONE,
    {
      access: { company: 'users:read' },
      action: 'invitation_links.get',
      docs: { operationId: 'getInvitationLink', summary: 'Get an invitation link', description: 'Without its token.' },
      request: { params: OneInvitationLink },
      response: { data: InvitationLink },
      version: { etag: true },
      problems: ['invitation_link_not_found'],
    },
    ({ tx, params }) => getLink(tx, params.linkId),
  )

  api.delete(
    ONE,
    {
      access: { company: 'users:create' },
      action: 'invitation_links.revoke',
      docs: {
        operationId: 'revokeInvitationLink',
        summary: 'Cancel an invitation link',
        description: 'No one joins by it from then on. Those who did stay members.',
      },
      request: { params: OneInvitationLink },
      response: { data: RevokedInvitation, message: 'Link canceled.' },
      problems: ['target_exceeds_permissions', 'invitation_link_not_found', 'invitation_not_pending'],
    },
    ({ tx, actor, params }) => revokeLink(tx, actor, params.linkId),
  )

  api.post(
    '/auth/invitation-links/join',
    {
      access: 'account',
      action: 'invitation_links.join',
      docs: {
        operationId: 'joinByInvitationLink',
        summary: 'Join a company by an invitation link',
        description:
          'Needs a verified email address. A membership that you already have stays as it is. Your session first confirms your mailbox, once: 403 `mailbox_code_required` says that a code was sent.',
      },
      request: { body: LinkToJoin },
      response: { data: JoinedCompany, message: ({ company }) => `You’re a member of ${company.name}.` },
      idempotency: { keyIncludesBody: true },
      problems: [
        ...MAILBOX_PROBLEMS,
        'link_invalid',
        'email_verification_required',
        'domain_not_allowed',
        'invitation_no_longer_valid',
      ],
    },
    ({ actor, body }) => joinByLink(deps, actor, body),
  )
}
