import { sql } from 'kysely'
import type { CompanyActor } from '../../../access/actors.ts'
import type { ClosedCode } from '../../../access/policies.ts'
import { isoTime } from '../../../database/json.ts'
import type { Tx } from '../../../database/open.ts'
import { type MemberRange, memberRanges, type RangeBounds } from './member-ranges.ts'
import type { PolicyColumns } from './policy.ts'
import type { PolicyImpact } from './schemas.ts'

const SAMPLE_MAX = 100
const LAST_ACTIVE_AT = isoTime('found.last_active_at')

/** How an owner stands to a policy: see policy_findings. */
export interface OwnerFinding {
  account_id: string
  can_pass: boolean
  closed_by: ClosedCode | null
  lacks: string[]
  /** Of the session that was used last; null: the owner is signed in nowhere. */
  last_ip: string | null
}

/** `change`: a policy that is only tried; undefined: the present one. */
export async function findOwners(tx: Tx, change?: PolicyColumns): Promise<OwnerFinding[]> {
  const { rows } = await sql<OwnerFinding>`
    select account_id, can_pass, closed_by, lacks, last_ip
    from policy_findings(${JSON.stringify(change ?? {})}, true) where is_owner`.execute(tx)
  return rows
}

/** Whether an owner is signed in outside of these networks, or nowhere: a session that is inside says nothing of the others. */
export async function areOwnersOutside(tx: Tx, networks: PolicyColumns['policy_networks']): Promise<boolean> {
  const { rows } = await sql<{ are: boolean }>`select owners_outside(${networks}::cidr[]) as are`.execute(tx)
  return rows[0]?.are === true
}

/** What the policy would have against the session of the actor, from its address. */
export async function findClosedBy(tx: Tx, actor: CompanyActor, change: PolicyColumns): Promise<ClosedCode | null> {
  const { rows } = await sql<{ code: ClosedCode | null }>`
    select session_closed_by(${actor.sessionId}, ${actor.ip}, ${JSON.stringify(change)}) as code`.execute(tx)
  return rows[0]?.code ?? null
}

/** Whom the policy would keep out, by the function that keeps them out. Without `users:read` only numbers. */
export async function impactOf(tx: Tx, actor: CompanyActor, change: PolicyColumns): Promise<PolicyImpact> {
  const caller = await findClosedBy(tx, actor, change)
  const impact = await impactOnMembers(tx, change)
  const isNamed = actor.permissions.has('users:read')
  return {
    ...impact,
    shutNow: isNamed ? impact.shutNow : { total: impact.shutNow.total },
    cannotOpen: isNamed ? impact.cannotOpen : { total: impact.cannotOpen.total },
    caller: caller ?? 'open',
  }
}

type Impact = Omit<PolicyImpact, 'caller'>

/** The members come in the order of their ids, so the first of each sample are those of the first parts. */
export async function impactOnMembers(tx: Tx, change: PolicyColumns, bounds?: RangeBounds): Promise<Impact> {
  const parts: Impact[] = []
  for await (const range of memberRanges(tx, bounds)) parts.push(await impactOnRange(tx, change, range))
  const sum = (numberIn: (part: Impact) => number) => parts.reduce((total, part) => total + numberIn(part), 0)
  const first = <Member>(membersIn: (part: Impact) => Member[]) => parts.flatMap(membersIn).slice(0, SAMPLE_MAX)
  return {
    shutNow: {
      total: sum(({ shutNow }) => shutNow.total),
      sample: first(({ shutNow: { sample = [] } }) => sample),
    },
    cannotOpen: {
      total: sum(({ cannotOpen }) => cannotOpen.total),
      sample: first(({ cannotOpen: { sample = [] } }) => sample),
    },
    owners: {
      total: sum(({ owners }) => owners.total),
      shutNow: sum(({ owners }) => owners.shutNow),
      cannotOpen: sum(({ owners }) => owners.cannotOpen),
    },
  }
}

async function impactOnRange(tx: Tx, change: PolicyColumns, { after, until }: MemberRange): Promise<Impact> {
  const { rows } = await sql<{ impact: Impact }>`
    with found as materialized (
      select *, array_remove(lacks, 'domain') as missing
      from policy_findings(${JSON.stringify(change)}, false, ${after}::uuid, ${until}::uuid)),
    ${sampleOf(
      'shut',
      sql`closed_by is not null`,
      sql`'closedBy', found.closed_by, 'last_ip', found.last_ip, 'last_active_at', ${sql.raw(LAST_ACTIVE_AT)}`,
    )},
    ${sampleOf('lacking', sql`missing <> '{}'`, sql`'lacks', found.missing`)}
    select json_build_object(
      'shutNow', json_build_object(
        'total', count(*) filter (where closed_by is not null), 'sample', (select sample from shut)),
      'cannotOpen', json_build_object(
        'total', count(*) filter (where missing <> '{}'), 'sample', (select sample from lacking)),
      'owners', json_build_object(
        'total', count(*) filter (where is_owner),
        'shutNow', count(*) filter (where is_owner and closed_by is not null),
        'cannotOpen', count(*) filter (where is_owner and missing <> '{}'))) as impact
    from found`.execute(tx)
  return rows[0]?.impact as Impact
}

const sampleOf = (name: string, condition: ReturnType<typeof sql>, facts: ReturnType<typeof sql>) => sql`
  ${sql.id(name)} as (
    select coalesce(json_agg(json_build_object(
      'id', account_id, 'name', memberships.name, 'email', memberships.email, ${facts}) order by account_id), '[]') as sample
    from (select * from found where ${condition} order by account_id limit ${sql.lit(SAMPLE_MAX)}) found
    join memberships using (account_id))`
