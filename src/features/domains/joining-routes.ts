import { z } from 'zod'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { MAILBOX_PROBLEMS } from '../accounts/confirm-mailbox.ts'
import { MailboxConfirmation } from '../accounts/schemas.ts'
import { joinCompany, listJoinableCompanies } from './join-company.ts'
import { approveJoinRequest, declineJoinRequest, listJoinRequests } from './join-requests.ts'
import { cancelJoinRequest, listOwnJoinRequests } from './own-join-requests.ts'
import {
  Approval,
  CanceledRequest,
  JoinableCompany,
  Joining,
  JoinRequest,
  JoinRequestQuery,
  OneCompany,
  OneJoinRequest,
  OwnJoinRequest,
} from './schemas.ts'

/** How people join a company by the domain of their address. */
export function joining(api: Api, deps: Deps): void {
  const { database } = deps
  const own = ({ accountId }: { accountId: string }) => database.autocommit(asAccount(accountId))

  api.get(
    '/auth/companies/joinable',
    {
      access: 'account',
      action: 'companies.list_joinable',
      docs: {
        operationId: 'listJoinableCompanies',
        summary: 'List companies that I can join',
        description:
          'Companies that have verified the domain of your email address and that you aren’t a member of. Empty until your address is verified.',
        tag: 'Domains',
      },
      response: { data: z.array(JoinableCompany) },
    },
    ({ actor }) => listJoinableCompanies(own(actor)),
  )

  api.post(
    '/auth/companies/:id/join',
    {
      access: 'account',
      action: 'users.join',
      docs: {
        operationId: 'joinCompany',
        summary: 'Join a company',
        description:
          'For a company in the list of those that you can join. You become a member, or your request waits for the company’s decision: that’s also what happens if you were a member before. Asking again returns the pending request. Your session first confirms your mailbox, once for joining and answering: 403 `mailbox_code_required` says that a code was sent.',
        tag: 'Domains',
      },
      request: { params: OneCompany, body: MailboxConfirmation },
      response: {
        data: Joining,
        message: ({ company, status }) =>
          status === 'joined'
            ? `You’re now a member of ${company.name}.`
            : `You asked to join ${company.name}. We’ll email you when it decides.`,
      },
      idempotency: { keyIncludesBody: true },
      problems: [
        'company_limit_reached',
        ...MAILBOX_PROBLEMS,
        'domain_not_allowed',
        'company_not_found',
        'already_member',
        'join_request_declined',
      ],
    },
    ({ actor, params, body }) => joinCompany(deps, actor, params.id, body),
  )

  api.get(
    '/auth/join-requests',
    {
      access: 'account',
      action: 'join_requests.list_own',
      docs: {
        operationId: 'listOwnJoinRequests',
        summary: 'List my pending requests to join companies',
        description: 'A request stays until the company decides, also when it no longer has the domain.',
        tag: 'Domains',
      },
      response: { data: z.array(OwnJoinRequest) },
    },
    ({ actor }) => listOwnJoinRequests(own(actor)),
  )

  api.delete(
    '/auth/join-requests/:requestId',
    {
      access: 'account',
      action: 'join_requests.cancel',
      docs: {
        operationId: 'cancelJoinRequest',
        summary: 'Cancel my request to join a company',
        description: 'You can ask again at once.',
        tag: 'Domains',
      },
      request: { params: OneJoinRequest },
      response: { data: CanceledRequest, message: 'Request canceled.' },
      problems: ['join_request_not_found'],
    },
    ({ actor, params }) => cancelJoinRequest(database, actor, params.requestId),
  )

  api.list(
    '/companies/join-requests',
    {
      access: { company: 'users:read' },
      action: 'join_requests.list',
      docs: {
        operationId: 'listJoinRequests',
        summary: 'List pending requests to join',
        description:
          'People with a verified address at a verified domain of the company who ask to join. A request ends by itself when its person changes the address or becomes a member in another way.',
      },
      request: { query: JoinRequestQuery },
      response: { data: JoinRequest },
    },
    ({ tx, query }) => listJoinRequests(tx, query),
  )

  api.post(
    '/companies/join-requests/:requestId/approve',
    {
      access: { company: 'users:create' },
      action: 'join_requests.approve',
      docs: {
        operationId: 'approveJoinRequest',
        summary: 'Approve a request to join',
        description: 'The person becomes a member and is notified by email.',
      },
      request: { params: OneJoinRequest, body: Approval },
      response: { data: JoinRequest, message: ({ account }) => `${account.name} is now a member.` },
      problems: [
        'reauthentication_required',
        'join_request_not_found',
        'grant_exceeds_permissions',
        'domain_not_allowed',
        'added_company_limit_reached',
        'role_unknown',
      ],
    },
    ({ tx, actor, params, body }) => approveJoinRequest(tx, actor, params.requestId, deps.config, body),
  )

  api.post(
    '/companies/join-requests/:requestId/decline',
    {
      access: { company: 'users:create' },
      action: 'join_requests.decline',
      docs: {
        operationId: 'declineJoinRequest',
        summary: 'Decline a request to join',
        description:
          'The person is notified by email, and can ask again after 30 days. You can still add them meanwhile.',
      },
      request: { params: OneJoinRequest },
      response: { data: JoinRequest, message: 'Request declined.' },
      problems: ['join_request_not_found'],
    },
    ({ tx, actor, params }) => declineJoinRequest(tx, actor, params.requestId),
  )
}
