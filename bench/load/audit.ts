import type pg from 'pg'
import type { Target } from '../../src/database/connections.ts'
import { Database } from '../../src/database/open.ts'
import { sealCompany } from '../../src/features/audit/chain/seal-company.ts'
import { createAuditDeps } from '../../src/features/audit/deps.ts'
import { keysFrom } from '../../src/lib/keys.ts'
import { createLog } from '../../src/process/log.ts'

/** Gives a company that many audit records, as changes of its members by 50 actors, and seals them. */
export async function loadAuditRecords(
  client: pg.Client,
  target: Target,
  appSecret: string,
  { companyId, count }: { companyId: string; count: number },
): Promise<void> {
  await client.query(
    `insert into audit_records (id, company_id, action, outcome, actor_id, actor_name, actor_email, target_type,
       target_id, target_label, changes, ip, user_agent, request_id, created_at,
       v, actor_kind)
     select gen_random_uuid(), $1, case when k % 50 = 7 then 'users.detach' else 'users.update' end,
       case when k % 400 = 3 then 'permission_missing' else 'done' end, actor.id, actor.name, actor.email,
       'member', target.id, target.email, '{"phone":{"from":"+34 600 123 456","to":"+34 600 654 321"}}', '192.0.2.1',
       'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', gen_random_uuid()::text,
       timestamptz '2026-03-01' + make_interval(secs => k * 60), 2, 'person'
     from generate_series(1, $2::int) as k
     join people as actor on actor.n = 1 + k % 50
     join people as target on target.n = 100 + k % 800`,
    [companyId, count],
  )
  const database = new Database(target)
  const log = createLog('silent')
  try {
    await sealCompany(createAuditDeps({ database, keys: keysFrom(appSecret), log }), companyId)
  } finally {
    await database.close()
  }
  await client.query('vacuum (freeze, analyze) audit_records')
}
