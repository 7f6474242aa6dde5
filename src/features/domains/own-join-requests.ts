import { sql } from 'kysely'
import type { Actor } from '../../access/actors.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asAccount, enterCompany } from '../../database/scopes.ts'
import { problem } from '../../problems.ts'
import { record, unseen } from '../audit/records.ts'
import { joinRequestSubject } from '../audit/subjects.ts'
import type { OwnJoinRequest } from './schemas.ts'

/** The pending ones of the account that `tx` acts for, whether the companies still want to be joined or not. */
export async function listOwnJoinRequests(tx: Tx): Promise<OwnJoinRequest[]> {
  const { rows } = await sql<{ id: string; company_id: string; company_name: string; created_at: string }>`
    select id, company_id, company_name, created_at from own_join_requests()`.execute(tx)
  return rows.map(({ id, company_id, company_name, created_at }) => ({
    id,
    company: { id: company_id, name: company_name },
    created_at,
  }))
}

/** The account can ask again at once. */
export async function cancelJoinRequest(database: Database, actor: Actor, requestId: string): Promise<{ id: string }> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    const { rows } = await sql<{ company_id: string; email: string }>`
      select company_id, email from cancel_join_request(${requestId}::uuid)`.execute(tx)
    const [request] = rows
    if (!request) throw problem('join_request_not_found')

    await enterCompany(tx, request.company_id, actor.accountId)
    await record(tx, unseen(actor), 'join_requests.cancel', joinRequestSubject({ id: requestId, ...request }))
    return { id: requestId }
  })
}
