import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { leaveCompany } from '../members/detach-member.ts'
import { createCompany, getCompany, listCompanies } from './companies.ts'
import { deleteCompany, restoreCompany } from './delete-company.ts'
import { Company, CompanyQuery, CompanyUpdate, DeletedCompany, NewCompany, OneCompany } from './schemas.ts'
import { updateCompany } from './update-company.ts'

export function companies(api: Api, service: Deps): void {
  const { database } = service

  api.list(
    '/companies',
    {
      access: 'account',
      action: 'companies.list',
      docs: {
        operationId: 'listCompanies',
        summary: 'My companies',
        description:
          'Those in which the caller is an active member, with the roles there; with `status=deleted` those that the caller, as an Owner, may still restore.',
      },
      request: { query: CompanyQuery },
      response: { data: Company },
    },
    ({ actor, query }) => listCompanies(database.autocommit(asAccount(actor.accountId)), actor.accountId, query),
  )

  api.post(
    '/companies',
    {
      access: 'account',
      action: 'companies.create',
      docs: {
        operationId: 'createCompany',
        summary: 'Found another company',
        description: 'The caller becomes its Owner.',
      },
      request: { body: NewCompany },
      response: {
        data: Company,
        status: 201,
        message: 'The company was founded.',
      },
      problems: ['email_verification_required', 'slug_taken', 'company_name_taken'],
    },
    ({ actor, body }) => createCompany(database, actor, { ...body, slug: body.slug }),
  )

  api.get(
    '/companies/:id',
    {
      access: { company: 'membership', at: 'id' },
      action: 'companies.get',
      docs: {
        operationId: 'getCompany',
        summary: 'One of my companies',
      },
      request: { params: OneCompany },
      response: { data: Company },
      version: { etag: true },
      problems: ['company_not_found'],
    },
    ({ tx, actor }) => getCompany(tx, actor.accountId),
  )

  api.patch(
    '/companies/:id',
    {
      access: { company: 'companies:update', at: 'id' },
      action: 'companies.update',
      docs: {
        operationId: 'updateCompany',
        summary: 'Change a company',
        description:
          'What is left out stays. A slug that is given up stays reserved for 90 days: until then this company alone may take it back.',
      },
      request: { params: OneCompany, body: CompanyUpdate },
      response: { data: Company, message: 'The company is saved.' },
      version: {
        etag: true,
        current: ({ tx, actor }) => getCompany(tx, actor.accountId),
      },
      problems: ['company_not_found', 'slug_taken', 'slug_limit_reached', 'version_mismatch'],
    },
    ({ tx, actor, body }) => updateCompany(tx, actor, body),
  )

  api.delete(
    '/companies/:id',
    {
      access: { company: 'companies:delete', at: 'id' },
      action: 'companies.delete',
      docs: {
        operationId: 'deleteCompany',
        summary: 'Close a company',
        description:
          'At once it is gone for everybody. One of its Owners may restore it for 30 days; then it is removed for good, and its slug is free 90 days later. Its Owners are told by mail.',
      },
      request: { params: OneCompany },
      response: {
        data: DeletedCompany,
        message: 'The company is closed. One of its Owners may restore it within 30 days.',
      },
      version: { current: ({ tx, actor }) => getCompany(tx, actor.accountId) },
      idempotency: { replayAfterAccessLoss: true },
      problems: ['company_not_found', 'version_mismatch'],
    },
    ({ tx, actor }) => deleteCompany(tx, actor, service.config),
  )

  api.post(
    '/companies/:id/restore',
    {
      access: 'account',
      action: 'companies.restore',
      docs: {
        operationId: 'restoreCompany',
        summary: 'Take a closed company back',
        description:
          'For its Owners, for 30 days. Everything in it is as it was, but for a pending offer of ownership.',
      },
      request: { params: OneCompany },
      response: { data: Company, message: 'The company is open again.' },
      problems: ['company_not_found', 'company_not_deleted', 'last_owner'],
    },
    ({ actor, params }) => restoreCompany(database, actor, params.id),
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
          'Ends the own membership, also an inactive one or one that awaits proof of the address. The only Owner has to pass the ownership on first.',
        tag: 'Companies',
      },
      request: { params: OneCompany },
      response: {
        data: DeletedCompany,
        message: 'You are no longer a member of this company.',
      },
      idempotency: { replayAfterAccessLoss: true },
      problems: ['email_verification_required', 'company_not_found', 'last_owner'],
    },
    ({ tx, actor }) => leaveCompany(tx, actor),
  )
}
