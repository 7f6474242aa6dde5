import { z } from 'zod'
import { pageQuery } from '../../lib/paging.ts'
import { Uuid } from '../../lib/uuids.ts'
import { AccountSummary } from '../accounts/schemas.ts'
import { DomainName } from './names.ts'

const ROLES_MAX = 50
const roleIds = z.array(Uuid).max(ROLES_MAX, `must have at most ${ROLES_MAX} roles`)

const JoinPolicy = z
  .enum(['none', 'request', 'auto'])
  .describe(
    'What people with a verified email address at the domain may do while it’s verified: nothing, ask to join, or join by themselves. `auto` becomes `request` when the account of the owner who chose it is recovered from an intruder or deleted, and while it is disabled.',
  )

export const Domain = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: z
      .enum(['pending', 'verified', 'lapsed'])
      .describe(
        '`lapsed`: it was verified before. Its record was missing for 7 days, or another company has verified the domain since.',
      ),
    record: z
      .object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
      .describe('Publish this in the DNS of the domain, and keep it there.'),
    joinPolicy: JoinPolicy,
    joinRoles: z
      .array(
        z.object({
          id: z.uuid(),
          name: z.string(),
          given: z
            .boolean()
            .describe(
              'False: the role gives more permissions than when an owner chose it, or that owner’s account was recovered from an intruder since, deleted, or is disabled. People who join don’t get it until an owner chooses it again.',
            ),
        }),
      )
      .describe('What people who join get. Without one that is given: `Member`.'),
    verified_at: z.iso.datetime().nullable(),
    checked_at: z.iso.datetime().nullable().describe('When the DNS was last asked.'),
    check_result: z
      .enum(['found', 'missing', 'different', 'unanswered'])
      .nullable()
      .describe(
        'What it said. `different`: there are records with this name, but none has this value. `unanswered`: no name server answered in time.',
      ),
    failing_since: z.iso
      .datetime()
      .nullable()
      .describe('Since when every check of a verified domain has failed. After 7 days it lapses.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Domain' })
export type Domain = z.output<typeof Domain>

export const NewDomain = z.object({ name: DomainName }).meta({ id: 'NewDomain' })
export type NewDomain = z.output<typeof NewDomain>

export const DomainUpdate = z
  .object({
    joinPolicy: JoinPolicy.optional(),
    joinRoleIds: roleIds.optional().describe('Replaces the roles of people who join; `[]`: they get `Member`.'),
  })
  .meta({ id: 'DomainUpdate' })
export type DomainUpdate = z.output<typeof DomainUpdate>

export const DomainQuery = z.object(pageQuery(['name', 'created_at']))
export type DomainQuery = z.output<typeof DomainQuery>

export const OneDomain = z.object({ domainId: Uuid })
export const DeletedDomain = z.object({ id: z.uuid() })

export const JoinRequest = z
  .object({
    id: z.uuid(),
    account: AccountSummary.describe('Who asks, with the verified address at that time.'),
    status: z.enum(['pending', 'approved', 'declined']).describe('Only pending ones are listed.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'JoinRequest' })
export type JoinRequest = z.output<typeof JoinRequest>

export const JoinRequestQuery = z.object(pageQuery(['created_at', 'email']))
export type JoinRequestQuery = z.output<typeof JoinRequestQuery>

export const OneJoinRequest = z.object({ requestId: Uuid })

export const Approval = z
  .object({
    roleIds: roleIds
      .min(1, 'must have at least one role')
      .optional()
      .describe('By default those of the domain by which the person asked.'),
  })
  .meta({ id: 'Approval' })
export type Approval = z.output<typeof Approval>

const CompanyName = z.object({ id: z.uuid(), name: z.string() })

export const JoinableCompany = z
  .object({
    id: z.uuid(),
    name: z.string(),
    domain: z.string().describe('The domain of your email address, which the company has verified.'),
    joining: z
      .enum(['auto', 'request'])
      .describe('Whether you become a member at once, or ask and wait for its decision.'),
    request: z.object({ id: z.uuid(), created_at: z.iso.datetime() }).nullable().describe('Your pending request.'),
  })
  .meta({ id: 'JoinableCompany' })
export type JoinableCompany = z.output<typeof JoinableCompany>

export const OwnJoinRequest = z
  .object({ id: z.uuid(), company: CompanyName, created_at: z.iso.datetime() })
  .meta({ id: 'OwnJoinRequest' })
export type OwnJoinRequest = z.output<typeof OwnJoinRequest>

export const Joining = z
  .object({
    company: CompanyName,
    status: z.enum(['joined', 'requested']),
    roles: z.array(z.string()).describe('Names of your roles in the company; empty while your request is pending.'),
    request: z.object({ id: z.uuid(), created_at: z.iso.datetime() }).nullable().describe('Null if you’ve joined.'),
  })
  .meta({ id: 'Joining' })
export type Joining = z.output<typeof Joining>

export const OneCompany = z.object({ id: Uuid })
export const CanceledRequest = z.object({ id: z.uuid() })
