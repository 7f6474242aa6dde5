import type { CompanyActor } from '../../access/actors.ts'
import { assertFresh, FRESH } from '../../access/freshness.ts'
import { stricter } from '../../access/requirements.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { Problem } from '../../problems.ts'
import { leaveCompany } from '../members/detach-member.ts'
import { deleteCompany } from './delete-company.ts'
import type { LeftCompany } from './schemas.ts'

/**
 * Leaves, except the only owner. One whom the policy keeps out, in a company without any other member, leaves it by deleting it: others
 * may have closed it and left, and nothing else could be done with it. By a fresh proof, because what the policy keeps out may be a
 * thief's session.
 */
export async function leaveOrDelete(tx: Tx, actor: CompanyActor, config: Config): Promise<LeftCompany> {
  let refusal: unknown
  try {
    return { ...(await leaveCompany(tx, actor, config)), deleted: false }
  } catch (error) {
    refusal = error
  }
  if (!(refusal instanceof Problem && refusal.code === 'last_owner')) throw refusal
  const [left] = await findAlone(tx, actor.sessionId, actor.ip, actor.accountId)
  if (!left?.isAlone) throw refusal
  await assertFresh(tx, actor, stricter(FRESH, left.stepUpMinutes))
  return { ...(await deleteCompany(tx, actor, config)), deleted: true }
}

interface Left {
  /** Outside of a company that has no other member, not even one who is inactive or has not opened it yet. */
  isAlone: boolean
  stepUpMinutes: number | null
}

const findAlone = statement<Left, [sessionId: string, address: string, accountId: string]>(`
  select suspended_at is null and session_closed_by($1, $2) is not null
    and not exists (select from memberships where account_id <> $3) as "isAlone",
    (extract(epoch from policy_step_up) / 60)::integer as "stepUpMinutes"
  from companies`)
