import { WITH_FACTOR } from '../../access/freshness.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { createCompany, getCompany, listCompanies } from './companies.ts'
import { deleteCompany, restoreCompany } from './delete-company.ts'
import { leaveOrDelete } from './leave-company.ts'
import { Company, CompanyQuery, CompanyUpdate, DeletedCompany, LeftCompany, NewCompany, OneCompany } from './schemas.ts'
import { updateCompany } from './update-company.ts'

export function companies(api: Api, deps: Deps): void {
  const { config, database } = deps

  api.list(
    '/companies',
    {
      access: 'account',
      action: 'companies.list',
      docs: {
        operationId: 'listCompanies',
        summary: 'List my companies',
        description:
          'Companies in which you’re an active member, with your roles, suspended ones included. With `status=deleted`: deleted companies that you can still restore as an owner.',
      },
      request: { query: CompanyQuery },
      response: { data: Company },
    },
    ({ actor, query }) => listCompanies(database.autocommit(asAccount(actor.accountId)), query),
  )

  api.post(
    '/companies',
    {
      access: 'account',
      action: 'companies.create',
      docs: {
        operationId: 'createCompany',
        summary: 'Create a company',
        description: 'You become its owner.',
      },
      request: { body: NewCompany },
      response: {
        data: Company,
        status: 201,
        message: 'Company created.',
      },
      problems: ['email_verification_required', 'slug_taken', 'company_name_taken', 'company_limit_reached'],
    },
    ({ actor, body }) => createCompany(deps, actor, { ...body, slug: body.slug }),
  )

  api.get(
    '/companies/:id',
    {
      access: { company: 'membership', at: 'id' },
      action: 'companies.get',
      docs: {
        operationId: 'getCompany',
        summary: 'Get a company',
      },
      request: { params: OneCompany },
      response: { data: Company },
      version: { etag: true },
      problems: ['company_not_found'],
    },
    ({ tx }) => getCompany(tx),
  )

  api.patch(
    '/companies/:id',
    {
      access: { company: 'companies:update', at: 'id' },
      action: 'companies.update',
      docs: {
        operationId: 'updateCompany',
        summary: 'Update a company',
        description:
          'Fields you leave out stay the same. A slug you give up stays reserved for this company for 90 days.',
      },
      request: { params: OneCompany, body: CompanyUpdate },
      response: { data: Company, message: 'Company saved.' },
      version: {
        etag: true,
        current: ({ tx }) => getCompany(tx),
      },
      problems: ['company_not_found', 'slug_taken', 'slug_limit_reached', 'version_mismatch'],
    },
    ({ tx, actor, body }) => updateCompany(tx, actor, config, body),
  )

  api.delete(
    '/companies/:id',
    {
      access: { company: 'companies:delete', at: 'id' },
      fresh: WITH_FACTOR,
      action: 'companies.delete',
      docs: {
        operationId: 'deleteCompany',
        summary: 'Delete a company',
        description:
          'Takes effect immediately for all members. An owner can restore it for 30 days. After that it’s permanently deleted, and its slug becomes available 90 days later. Owners are notified by email, also those who were owners within the last 7 days.',
      },
      request: { params: OneCompany },
      response: {
        data: DeletedCompany,
        message: 'Company deleted. An owner can restore it within 30 days.',
      },
      version: { current: ({ tx }) => getCompany(tx) },
      idempotency: { replayAfterAccessLoss: true },
      problems: ['company_not_found', 'version_mismatch'],
    },
    ({ tx, actor }) => deleteCompany(tx, actor, deps.config),
  )

  api.post(
    '/companies/:id/restore',
    {
      access: 'account',
      fresh: WITH_FACTOR,
      action: 'companies.restore',
      docs: {
        operationId: 'restoreCompany',
        summary: 'Restore a deleted company',
        description:
          'Owners only, within 30 days, from any network. Everything is restored except a pending ownership transfer. The owners are told by email.',
      },
      request: { params: OneCompany },
      response: { data: Company, message: 'Company restored.' },
      problems: [
        'second_factor_required_by_company',
        'reauthentication_required',
        'password_too_weak_for_company',
        'company_not_found',
        'company_not_deleted',
        'company_suspended',
        'last_owner',
      ],
    },
    ({ actor, params }) => restoreCompany(deps, actor, params.id),
  )

  api.post(
    '/companies/:id/leave',
    {
      access: { company: 'any membership', at: 'id' },
      action: 'users.leave',
      docs: {
        operationId: 'leaveCompany',
        summary: 'Leave a company',
        description:
          'Ends your own membership; no permission is needed. The only owner must transfer ownership first; as the only member of a company whose policy lets your session in no more, you delete it by this (`deleted`), with a fresh proof.',
        tag: 'Companies',
      },
      request: { params: OneCompany },
      response: {
        data: LeftCompany,
        message: ({ deleted }) =>
          deleted
            ? 'Company deleted. An owner whom its policy lets in can restore it within 30 days.'
            : 'You’ve left this company.',
      },
      idempotency: { replayAfterAccessLoss: true },
      problems: [
        'reauthentication_required',
        'email_verification_required',
        'company_not_found',
        'last_owner',
        'policy_locks_all_owners',
      ],
    },
    ({ tx, actor }) => leaveOrDelete(tx, actor, deps.config),
  )
}
