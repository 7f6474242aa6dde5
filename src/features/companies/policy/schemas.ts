import { z } from 'zod'
import { closedCodes } from '../../../access/policies.ts'
import { EmailDomain } from '../../../lib/emails.ts'
import { isWithinYears, WITHIN_YEARS } from '../../../lib/moments.ts'
import { NetworkText } from '../../../lib/network-lists.ts'
import { pageQuery } from '../../../lib/paging.ts'
import { Uuid } from '../../../lib/uuids.ts'
import { PASSWORD_LENGTH_CLASSES } from '../../accounts/password-policy.ts'

export const GRACE_DAYS_MAX = 90
const ROLES_MAX = 20
const NETWORKS_MAX = 200
const DOMAINS_MAX = 50

const required = z
  .enum(['nobody', 'roles', 'everybody'])
  .describe('`roles`: members with one of `roleIds`. A session that has not proved a second factor is kept out.')
const grace = `Until then members without a second factor may still enter, and are reminded by email. At most ${GRACE_DAYS_MAX} days ahead. \`null\`: at once.`
const from = z.iso.datetime().refine(isWithinYears, WITHIN_YEARS).nullable().describe(grace)
const appliesTo = z
  .enum(['invitations', 'invitations_and_additions'])
  .describe(
    'Whether the domains are asked only of people who are invited, or of those who are added directly as well. Then an existing account whose address is not verified can’t open the company until it is.',
  )
const minutes = (min: number, max: number) => z.int().min(min).max(max).nullable()
const maxAgeHours = minutes(1, 720).describe(
  'How old the last proof of a session may be: of its second factor or, for accounts without one, of its password. `null`: as old as the session.',
)
const idleMinutes = minutes(15, 10_080).describe(
  'How long a session may pause before it has to prove again whose it is. It may take up to 15 minutes longer. `null`: as long as it lives.',
)
const stepUpMinutes = minutes(5, 1440).describe(
  'How old the last proof of a session may be when it changes something in the company. `null`: only what is asked everywhere.',
)
const allow = 'Networks that members may come from, in CIDR notation. Empty: all.'
const domains =
  'Domains that the email addresses of new members may have. Subdomains are domains of their own. Empty: any.'
const minLength = z.literal(PASSWORD_LENGTH_CLASSES).describe('Sessions that a shorter password opened are kept out.')
const refuseCommon = z
  .boolean()
  .describe('Sessions that a common or guessable password opened are kept out, whatever `PASSWORD_BLOCKLIST` says.')

const policy = {
  // Without bounds: a response says what is stored.
  secondFactor: z.object({ required, roleIds: z.array(z.uuid()), from: z.iso.datetime().nullable().describe(grace) }),
  sessions: z.object({
    maxAgeHours: z
      .int()
      .nullable()
      .describe(maxAgeHours.description ?? ''),
    idleMinutes: z
      .int()
      .nullable()
      .describe(idleMinutes.description ?? ''),
    stepUpMinutes: z
      .int()
      .nullable()
      .describe(stepUpMinutes.description ?? ''),
  }),
  networks: z.object({ allow: z.array(z.string()).describe(allow) }),
  members: z.object({ domains: z.array(z.string()).describe(domains), appliesTo }),
  passwords: z.object({ minLength, refuseCommon }),
}

export const Policy = z.object(policy).meta({ id: 'Policy' })
export type Policy = z.output<typeof Policy>

/**
 * Fields that are left out stay the same. What is not known is refused and not dropped: it would look like a limit and be
 * none.
 */
export const PolicyUpdate = z
  .strictObject({
    secondFactor: z
      .strictObject({
        required: required.optional(),
        roleIds: z.array(Uuid).max(ROLES_MAX).optional(),
        from: from.optional(),
      })
      .optional(),
    sessions: z
      .strictObject({
        maxAgeHours: maxAgeHours.optional(),
        idleMinutes: idleMinutes.optional(),
        stepUpMinutes: stepUpMinutes.optional(),
      })
      .optional(),
    networks: z.strictObject({ allow: z.array(NetworkText).max(NETWORKS_MAX).describe(allow).optional() }).optional(),
    members: z
      .strictObject({
        domains: z.array(EmailDomain).max(DOMAINS_MAX).describe(domains).optional(),
        appliesTo: appliesTo.optional(),
      })
      .optional(),
    passwords: z.strictObject({ minLength: minLength.optional(), refuseCommon: refuseCommon.optional() }).optional(),
  })
  .meta({ id: 'PolicyUpdate' })
export type PolicyUpdate = z.output<typeof PolicyUpdate>

export const ChangeQuery = z.object({
  dryRun: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: returns the resulting policy and whom it would keep out, and changes nothing.'),
})

export type ChangeQuery = z.output<typeof ChangeQuery>

const Closed = z
  .enum(closedCodes)
  .describe('What keeps the session out that was used last, from the address where it was used.')

const Lacking = z
  .enum(['second_factor', 'password', 'domain'])
  .describe(
    'What no proof gives. `domain`: an address at an allowed domain, verified where `appliesTo` asks it of people who are added.',
  )

const person = { id: z.uuid(), name: z.string(), email: z.string() }

const ShutMember = z
  .object({
    ...person,
    closedBy: Closed,
    last_ip: z.string().describe('The last known address of that session.'),
    last_active_at: z.iso.datetime(),
  })
  .meta({ id: 'ShutMember' })

const LackingMember = z.object({ ...person, lacks: z.array(Lacking) }).meta({ id: 'LackingMember' })

const counted = <Member extends z.ZodType>(member: Member, description: string) =>
  z
    .object({
      total: z.int(),
      sample: z.array(member).optional().describe('The first 100, by ID. Only included if you have `users:read`.'),
    })
    .describe(description)

export const PolicyImpact = z
  .object({
    shutNow: counted(ShutMember, 'Members who are signed in, and of whom no session would be let in.'),
    cannotOpen: counted(
      LackingMember,
      'Members who lack what no proof gives: a second factor, also before the date from which it is asked for, or a better password.',
    ),
    caller: z
      .enum(['open', ...closedCodes])
      .describe('Whether the policy would let your session in, from your address. Otherwise what keeps it out.'),
    owners: z.object({
      total: z.int(),
      shutNow: z.int(),
      cannotOpen: z.int(),
    }),
  })
  .meta({ id: 'PolicyImpact' })
export type PolicyImpact = z.output<typeof PolicyImpact>

export const UpdatedPolicy = z
  .object({ ...policy, impact: PolicyImpact.optional().describe('Dry runs only: whom it would keep out.') })
  .meta({ id: 'UpdatedPolicy' })

export const NonCompliantMember = z
  .object({
    ...person,
    lacks: z
      .array(Lacking)
      .describe(
        '`second_factor`: the account has none, and the policy asks for one, perhaps from a later date. `password`: too weak in every session. `domain`: not one of the allowed ones, which shuts no member out.',
      ),
    closedBy: Closed.nullable().describe('Null: a session is let in, or the member is signed in nowhere.'),
    last_active_at: z.iso.datetime().nullable().describe('Null: the member is signed in nowhere.'),
  })
  .meta({ id: 'NonCompliantMember' })
export type NonCompliantMember = z.output<typeof NonCompliantMember>

export const ComplianceQuery = z.object({
  ...pageQuery(['name', 'email', 'last_active_at']),
  lacks: Lacking.optional().describe('Only members who lack this.'),
})
export type ComplianceQuery = z.output<typeof ComplianceQuery>
