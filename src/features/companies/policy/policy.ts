import { sql } from 'kysely'
import type { Tx } from '../../../database/open.ts'
import { PASSWORD_LENGTH_CLASSES, WITHOUT_PASSWORD } from '../../accounts/password-policy.ts'
import type { Policy } from './schemas.ts'

/** How much longer a session may pause than its company says: see closed_by. */
const UNSEEN_MINUTES = 15
/** From the beginning of time. */
const AT_ONCE = '-infinity'

/** The columns of a policy, as JSON writes them: also for a policy that is only tried (session_closed_by). */
export interface PolicyColumns {
  has_policy: boolean
  policy_factor_from: string | null
  policy_factor_roles: string[] | null
  policy_age: string | null
  policy_pause: string | null
  policy_step_up: string | null
  policy_networks: string[] | null
  policy_domains: string[] | null
  policy_domains_for: Policy['members']['appliesTo']
  policy_passwords: number[] | null
}

export async function getPolicy(tx: Tx): Promise<Policy> {
  const row = await tx
    .selectFrom('companies')
    .select(['policy_domains', 'policy_domains_for'])
    .select(sql<boolean>`policy_factor_from is not null`.as('asksFactor'))
    .select(sql<string | null>`nullif(policy_factor_from, ${AT_ONCE})`.as('factorFrom'))
    .select(sql<string[] | null>`policy_factor_roles`.as('roleKeys'))
    .select(factorRoleIds.as('roleIds'))
    .select(secondsOf('policy_age').as('ageSeconds'))
    .select(secondsOf('policy_pause').as('pauseSeconds'))
    .select(secondsOf('policy_step_up').as('stepUpSeconds'))
    .select(sql<string[] | null>`policy_networks::text[]`.as('networks'))
    .select(sql<number[] | null>`to_json(policy_passwords)`.as('passwords'))
    .executeTakeFirstOrThrow()
  const required = row.asksFactor ? (row.roleKeys ? 'roles' : 'everybody') : 'nobody'
  return {
    secondFactor: { required, roleIds: row.roleIds, from: row.factorFrom },
    sessions: {
      maxAgeHours: row.ageSeconds && row.ageSeconds / 3600,
      idleMinutes: row.pauseSeconds && row.pauseSeconds / 60 - UNSEEN_MINUTES,
      stepUpMinutes: row.stepUpSeconds && row.stepUpSeconds / 60,
    },
    networks: { allow: row.networks ?? [] },
    members: { domains: row.policy_domains ?? [], appliesTo: row.policy_domains_for },
    passwords: passwordsFrom(row.passwords),
  }
}

const secondsOf = (column: string) => sql<number | null>`extract(epoch from ${sql.ref(column)})::integer`

const factorRoleIds = sql<string[]>`array(
  select id from roles
  where replaced_by is null and coalesce(system_key, id::text) = any (companies.policy_factor_roles) order by id)`

/** `roleKeys`: of the roles of a policy that asks those with roles for a second factor. */
export function columnsOf(policy: Policy, roleKeys: string[]): PolicyColumns {
  const { secondFactor, sessions, networks, members, passwords } = policy
  const { maxAgeHours, idleMinutes, stepUpMinutes } = sessions
  const asksFactor = secondFactor.required !== 'nobody'
  const door = {
    policy_factor_from: asksFactor ? (secondFactor.from ?? AT_ONCE) : null,
    policy_factor_roles: secondFactor.required === 'roles' ? roleKeys : null,
    policy_age: maxAgeHours && `${maxAgeHours} hours`,
    policy_pause: idleMinutes && `${idleMinutes + UNSEEN_MINUTES} minutes`,
    policy_networks: orNull(networks.allow),
    policy_passwords: classesFor(passwords),
  }
  return {
    ...door,
    has_policy: Object.values(door).some((value) => value !== null),
    policy_step_up: stepUpMinutes && `${stepUpMinutes} minutes`,
    policy_domains: orNull(members.domains),
    policy_domains_for: members.appliesTo,
  } as PolicyColumns
}

const orNull = <Item>(list: Item[]) => (list.length > 0 ? list : null)

/** What a password may be worth (sessions.password_class); null: everything. */
function classesFor({ minLength, refuseCommon }: Policy['passwords']): number[] | null {
  if (minLength === PASSWORD_LENGTH_CLASSES[0] && !refuseCommon) return null
  const long = PASSWORD_LENGTH_CLASSES.filter((length) => length >= minLength)
  return [WITHOUT_PASSWORD, ...long, ...(refuseCommon ? [] : long.map((length) => -length))]
}

function passwordsFrom(classes: number[] | null): Policy['passwords'] {
  const [shortest] = PASSWORD_LENGTH_CLASSES
  return {
    minLength: PASSWORD_LENGTH_CLASSES.find((length) => !classes || classes.includes(length)) ?? shortest,
    refuseCommon: classes?.every((each) => each >= 0) ?? false,
  }
}
