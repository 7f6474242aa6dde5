import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { addDomain, deleteDomain, getDomain, listDomains } from './domains.ts'
import { assertNotShared } from './names.ts'
import { DeletedDomain, Domain, DomainQuery, DomainUpdate, NewDomain, OneDomain } from './schemas.ts'
import { updateDomain } from './update-domain.ts'
import { proveDomain, verifyDomain } from './verify-domain.ts'

const access = { company: 'domains:read' } as const
/** Who has a domain decides who joins, so a stolen session is not enough for a change. */
const ownersOnly = { access, ownerOnly: true, fresh: { minutes: 10 } } as const

/** The domains of a company. */
export function domains(api: Api, deps: Deps): void {
  api.list(
    '/companies/domains',
    {
      access,
      action: 'domains.list',
      docs: {
        operationId: 'listDomains',
        summary: 'List domains',
        description: 'Each with its record for the DNS, and with what its last check has found.',
      },
      request: { query: DomainQuery },
      response: { data: Domain },
    },
    ({ tx, query }) => listDomains(tx, query),
  )

  api.post(
    '/companies/domains',
    {
      ...ownersOnly,
      action: 'domains.create',
      docs: {
        operationId: 'addDomain',
        summary: 'Add a domain',
        description:
          'Owners only. Publish `record` in the DNS of the domain, then verify it. Domains that many organizations share, such as `gmail.com` or `co.uk`, are rejected. A company can have up to 20 domains.',
      },
      request: { body: NewDomain },
      response: { data: Domain, status: 201, message: 'Domain added. Publish its record, then verify it.' },
      prepare: ({ body }) => assertNotShared(body.name),
      problems: ['domain_taken', 'domain_is_shared', 'domain_limit_reached'],
    },
    ({ tx, actor, body }) => addDomain(tx, actor, body),
  )

  api.get(
    '/companies/domains/:domainId',
    {
      access,
      action: 'domains.get',
      docs: {
        operationId: 'getDomain',
        summary: 'Get a domain',
        description: 'Send its ETag in `If-Match` when you change it: the change is rejected if it has changed since.',
      },
      request: { params: OneDomain },
      response: { data: Domain },
      version: { etag: true },
      problems: ['domain_not_found'],
    },
    ({ tx, params }) => getDomain(tx, params.domainId),
  )

  api.post(
    '/companies/domains/:domainId/verify',
    {
      ...ownersOnly,
      action: 'domains.verify',
      docs: {
        operationId: 'verifyDomain',
        summary: 'Verify a domain',
        description:
          'Owners only. Asks the DNS for the record, which takes up to 2 seconds; at most 10 times an hour for each company. If another company had verified the domain before, it no longer has it, and its owners are notified by email. Verified domains are checked again daily; after 7 days without the record a domain lapses, and owners are notified by email.',
      },
      request: { params: OneDomain },
      response: { data: Domain, message: 'Domain verified.' },
      version: { etag: true },
      prepare: ({ actor, params }) => proveDomain(deps, actor, params.domainId),
      problems: ['domain_not_found', 'domain_taken', 'domain_record_not_found', 'rate_limited'],
    },
    ({ tx, actor, params, prepared }) => verifyDomain(tx, actor, deps.config, params.domainId, prepared),
  )

  api.patch(
    '/companies/domains/:domainId',
    {
      ...ownersOnly,
      action: 'domains.update',
      vouches: true,
      docs: {
        operationId: 'updateDomain',
        summary: 'Choose how people join by a domain',
        description:
          'Owners only. Fields you leave out stay the same. Roles give people who join at most what they give now: if a role gets more permissions later, people who join don’t get it until an owner chooses it again.',
      },
      request: { params: OneDomain, body: DomainUpdate },
      response: { data: Domain, message: 'Domain saved.' },
      version: { etag: true, current: ({ tx, params }) => getDomain(tx, params.domainId) },
      problems: ['domain_not_found', 'version_mismatch', 'role_unknown', 'owner_role_not_allowed'],
    },
    ({ tx, actor, params, body }) => updateDomain(tx, actor, params.domainId, body),
  )

  api.delete(
    '/companies/domains/:domainId',
    {
      ...ownersOnly,
      action: 'domains.delete',
      docs: {
        operationId: 'deleteDomain',
        summary: 'Delete a domain',
        description: 'Owners only. People can’t join by it anymore; members and pending requests stay.',
      },
      request: { params: OneDomain },
      response: { data: DeletedDomain, message: 'Domain deleted.' },
      version: { current: ({ tx, params }) => getDomain(tx, params.domainId) },
      problems: ['domain_not_found', 'version_mismatch'],
    },
    ({ tx, actor, params }) => deleteDomain(tx, actor, params.domainId),
  )
}
