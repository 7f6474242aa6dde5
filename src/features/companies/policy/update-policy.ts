import { sql } from 'kysely'
import type { CompanyActor } from '../../../access/actors.ts'
import { listOwners, OWNERS_NOTIFIED_MAX } from '../../../access/owners.ts'
import type { Config } from '../../../config/config.ts'
import type { Tx } from '../../../database/open.ts'
import { problem } from '../../../problems.ts'
import { record } from '../../audit/records.ts'
import { companySubject } from '../../audit/subjects.ts'
import { companyParams, getCompanyContext } from '../../mail/outbox/company-context.ts'
import { notifyOwners } from '../../members/notify-owners.ts'
import { changesBetween, isLooser, nextPolicy, type Tightening, tighteningFrom } from './edit-policy.ts'
import { areOwnersOutside, findClosedBy, findOwners, impactOf, type OwnerFinding } from './impact.ts'
import { getPolicy, type PolicyColumns } from './policy.ts'
import type { Policy, PolicyImpact, PolicyUpdate } from './schemas.ts'
import { storePolicy } from './store-policy.ts'

/**
 * Changes what sessions need to be let in. A change that would shut out its author, or all owners, is refused; a dry run tells
 * whom it would keep out, also where the change is refused.
 */
export async function updatePolicy(
  tx: Tx,
  actor: CompanyActor,
  config: Config,
  wanted: PolicyUpdate,
  { dryRun }: { dryRun: boolean },
): Promise<Policy & { impact?: PolicyImpact }> {
  const now = await getPolicy(tx)
  const { next, columns } = await nextPolicy(tx, now, wanted)
  if (dryRun) return { ...next, impact: await impactOf(tx, actor, columns) }
  const changes = changesBetween(now, next)
  if (Object.keys(changes).length === 0) return now
  await assertKeepsOwnersIn(tx, actor, columns, tighteningFrom(now, next))

  await storePolicy(tx, columns, { remindsAnew: Boolean(changes.required || changes.roleIds || changes.from) })
  const company = await getCompanyContext(tx)
  await record(tx, actor, 'policy.update', companySubject(company), changes)
  const params = { ...companyParams(company), by: actor.name, byEmail: actor.email }
  // Owners are never kept from letting members in again.
  if (isLooser(now, next))
    await notifyOwners(tx, config, 'policy_loosened', company, params, { isRequired: !actor.isOwner })
  // Where it keeps an owner out, the email is all that tells them.
  if (isLooser(next, now))
    await notifyOwners(tx, config, 'policy_tightened', company, params, { actorId: actor.accountId })
  return getPolicy(tx)
}

/** Under the company's lock, so that of two owners who narrow a policy to themselves the second one is judged by the first. */
async function assertKeepsOwnersIn(
  tx: Tx,
  actor: CompanyActor,
  columns: PolicyColumns,
  tightening: Tightening,
): Promise<void> {
  if (columns.policy_factor_from !== null) await lockSecondFactors(tx, actor)
  const [closedBy, before, after, isOneOutside] = await Promise.all([
    findClosedBy(tx, actor, columns),
    findOwners(tx),
    findOwners(tx, columns),
    !actor.isOwner && tightening.narrowsNetworks && areOwnersOutside(tx, columns.policy_networks),
  ])
  const lackedFactor = new Set(before.filter(lacksFactor).map(({ account_id }) => account_id))
  const isShutOut = (owner: OwnerFinding) => shutsOut(tightening, owner, lackedFactor.has(owner.account_id))
  if (isOneOutside || (!actor.isOwner && after.some(isShutOut))) throw problem('target_exceeds_permissions')
  if (closedBy) throw problem('policy_locks_you_out', { closedBy })
  if (before.some(({ can_pass }) => can_pass) && !after.some(({ can_pass }) => can_pass))
    throw problem('policy_locks_all_owners')
}

/**
 * Whether the change shuts out an owner by something else than networks that no proof gives, also one who is kept out already: by
 * something else, or for now. Of one who is signed in nowhere it is not known which password opens the next session.
 */
function shutsOut(
  { asksFactorSooner, asksBetterPasswords }: Tightening,
  owner: OwnerFinding,
  lackedFactor: boolean,
): boolean {
  const isUnknown = owner.last_ip === null
  return (
    (asksBetterPasswords && (isUnknown || owner.lacks.includes('password'))) ||
    (lacksFactor(owner) && (asksFactorSooner || !lackedFactor))
  )
}

const lacksFactor = ({ lacks }: OwnerFinding) => lacks.includes('second_factor')

/** An account that removes its last factor asks the policies of its companies under its own lock, so one of both comes first. */
async function lockSecondFactors(tx: Tx, { accountId }: CompanyActor): Promise<void> {
  const owners = await listOwners(tx, OWNERS_NOTIFIED_MAX)
  const ids = [...new Set([accountId, ...owners.map(({ id }) => id)])].sort()
  for (const id of ids) await sql`select lock_member_account(${id})`.execute(tx)
}
