import { FRESH } from '../../../access/freshness.ts'
import type { Deps } from '../../../deps.ts'
import type { Api } from '../../../http/routes.ts'
import { listNonCompliant } from './compliance.ts'
import { getPolicy } from './policy.ts'
import { ChangeQuery, ComplianceQuery, NonCompliantMember, Policy, PolicyUpdate, UpdatedPolicy } from './schemas.ts'
import { updatePolicy } from './update-policy.ts'

const isDryRun = ({ query }: { query: ChangeQuery }) => query.dryRun === 'true'

export function policy(api: Api, { config }: Deps): void {
  api.get(
    '/companies/policy',
    {
      access: { company: 'policy:read' },
      action: 'policy.get',
      docs: {
        operationId: 'getPolicy',
        summary: 'Get the sign-in policy',
        description: 'What a session needs to be let into the company.',
      },
      response: { data: Policy },
      version: { etag: true },
    },
    ({ tx }) => getPolicy(tx),
  )

  api.patch(
    '/companies/policy',
    {
      access: { company: 'policy:update' },
      fresh: FRESH,
      action: 'policy.update',
      docs: {
        operationId: 'updatePolicy',
        summary: 'Update the sign-in policy',
        description:
          'Fields you leave out stay the same. Takes effect at the next request of every session; no session ends. Rejected if it would keep your own session out (`closedBy` says why), every owner, or, unless you’re an owner, any owner. With `dryRun=true`, returns the resulting policy and whom it would keep out, and changes nothing. Owners are notified by email when a field admits more than before.',
      },
      request: { query: ChangeQuery, body: PolicyUpdate },
      response: {
        data: UpdatedPolicy,
        message: ({ impact }) => (impact ? 'Dry run: nothing was changed.' : 'Policy saved.'),
      },
      version: {
        etag: ({ impact }) => !impact,
        current: ({ tx }) => getPolicy(tx),
      },
      isDryRun,
      problems: [
        'target_exceeds_permissions',
        'version_mismatch',
        'role_unknown',
        'grace_too_long',
        'policy_locks_you_out',
        'policy_locks_all_owners',
        'email_limit_reached',
      ],
    },
    ({ tx, actor, query, body }) => updatePolicy(tx, actor, config, body, { dryRun: isDryRun({ query }) }),
  )

  api.list(
    '/companies/policy/compliance',
    {
      access: { company: 'policy:read' },
      action: 'policy.list_compliance',
      docs: {
        operationId: 'listPolicyCompliance',
        summary: 'List members who don’t comply',
        description:
          'Active members whom the policy keeps out, and those who lack what it asks for. Also needs `users:read`.',
      },
      request: { query: ComplianceQuery },
      response: { data: NonCompliantMember },
    },
    async ({ tx, actor, query }) => listNonCompliant(tx, await actor(), query),
  )
}
