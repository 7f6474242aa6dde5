import type { CompanyActor } from '../../access/actors.ts'
import { assertFresh, FRESH } from '../../access/freshness.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { Problem } from '../../problems.ts'
import { leaveCompany } from '../members/detach-member.ts'
import { deleteCompany } from './delete-company.ts'

/**
 * Leaves, except the only owner. One whom the policy keeps out, in a company that no other member has opened, leaves it by deleting it: others
 * may have closed it and left, and nothing else could be done with it. By a fresh proof, because what the policy keeps out may be a
 * thief's session.
 */
export async function leaveOrDelete(tx: Tx, actor: CompanyActor, config: Config): Promise<{ id: string }> {
  try {
    return await leaveCompany(tx, actor)
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'last_owner' && (await isAloneOutside(tx, actor)))) throw error
  }
  await assertFresh(tx, actor, FRESH)
  return deleteCompany(tx, actor, config)
}

async function isAloneOutside(tx: Tx, { accountId, sessionId, ip }: CompanyActor): Promise<boolean> {
  const [found] = await findAlone(tx, sessionId, ip, accountId)
  return found?.isAlone === true
}

const findAlone = statement<{ isAlone: boolean }, [sessionId: string, address: string, accountId: string]>(`
  select suspended_at is null and session_closed_by($1, $2) is not null and not exists (
    select from memberships where account_id <> $3 and status = 'active' and opened_at is not null) as "isAlone"
  from companies`)
