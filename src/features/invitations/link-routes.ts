import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { MAILBOX_PROBLEMS } from '../accounts/confirm-mailbox.ts'
import { LinkToken } from '../auth/schemas.ts'
import { isLinkKept, joinByLink, previewLink } from './join-by-link.ts'
import { createLink, getLink, listLinks, revokeLink } from './links.ts'
import {
  CreatedInvitationLink,
  InvitationLink,
  InvitationLinkPreview,
  InvitationLinkQuery,
  JoinedCompany,
  LinkToJoin,
  NewInvitationLink,
  OneInvitationLink,
  RevokedInvitation,
} from './schemas.ts'

const PATH = '/companies/invitation-links'
const ONE = `${PATH}/:linkId`
/** For people who have the token. */
const OPENED = '/auth/invitation-links'

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
      vouches: true,
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
    `${OPENED}/preview`,
    {
      access: 'anyone',
      action: 'invitation_links.preview',
      limit: { name: 'invitation-link-preview', requests: 10, perSeconds: 60 },
      docs: {
        operationId: 'previewInvitationLink',
        summary: 'Look at an invitation link',
        description: 'Says which company it leads to.',
      },
      request: { body: LinkToken },
      response: { data: InvitationLinkPreview },
      problems: ['link_invalid'],
    },
    ({ body }) => previewLink(deps, body.token),
  )

  api.post(
    `${OPENED}/join`,
    {
      access: 'account',
      action: 'invitation_links.join',
      docs: {
        operationId: 'joinByInvitationLink',
        summary: 'Join a company by an invitation link',
        description:
          'A membership that you already have stays as it is. Your session first confirms your mailbox, once for joining and answering, which verifies your email address: 403 `mailbox_code_required` says that a code was sent. 403 `email_verification_required`: an administrator has seen a password of your account, so reset it by email first.',
      },
      request: { body: LinkToJoin },
      response: { data: JoinedCompany, message: ({ company }) => `You’re a member of ${company.name}.` },
      idempotency: { keyIncludesBody: true },
      problems: [
        'company_limit_reached',
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
