import type pg from 'pg'
import type { Target } from '../../database/connection-settings.ts'
import { openMigrationClient } from '../../database/migration-client.ts'
import { newId } from '../../lib/ids.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { inBulk } from './bulk.ts'
import { countMembers, insertMemberships } from './memberships.ts'
import { peopleFrom, randomBelow } from './people.ts'

/** Members in one transaction, beside a running service. */
const BATCH_SIZE = 25_000
/** From this number on it pays to make the indexes again. */
const BULK_MIN = 50_000
const TABLES = ['accounts', 'memberships', 'membership_roles']

/** The company that gets the members, and its role for them. */
interface Place {
  company_id: string
  role_id: string
}

/**
 * Adds accounts as members to the first company of `email`: one transaction for each batch, or for many members, while no
 * service runs, a single one without indexes.
 */
export async function addMembers(
  target: Target,
  email: string,
  members: number,
  { bulkMin = BULK_MIN, onProgress = (_done: number) => {} } = {},
): Promise<void> {
  if (members === 0) return
  const client = await openMigrationClient(target)
  try {
    const place = await findPlace(client, email)
    const isBulk = members >= bulkMin && !(await isServiceRunning(client))
    const batchSize = isBulk ? members : BATCH_SIZE
    const seed = Number.parseInt(newId().slice(-7), 16)
    for (let done = 0; done < members; done += batchSize) {
      const last = Math.min(done + batchSize, members)
      const add = () => addBatch(client, place, peopleFrom(done + 1, last, seed), seed)
      await (isBulk ? inBulk(client, TABLES, add) : inTransaction(client, add))
      onProgress(last)
    }
    await client.query(`vacuum analyze ${TABLES.join(', ')}`)
  } finally {
    await client.end()
  }
}

async function findPlace(client: pg.Client, email: string): Promise<Place> {
  const { rows } = await client.query<Place>(
    `select roles.company_id, roles.id as role_id from accounts
     join memberships on memberships.account_id = accounts.id
     join roles on roles.company_id = memberships.company_id and roles.system_key = 'member'
     where accounts.email = $1 order by memberships.created_at limit 1`,
    [email],
  )
  if (!rows[0])
    throw new OperatorError('company_not_found', `${email} has no company: choose another account with --email.`)
  return rows[0]
}

/** Its connections have this name: src/database/connection-settings.ts. */
async function isServiceRunning(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_stat_activity where datname = current_database() and application_name = 'tenantry'`,
  )
  return rows.length > 0
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  await work()
  await client.query('commit')
}

async function addBatch(client: pg.Client, place: Place, people: string, seed: number): Promise<void> {
  const { company_id, role_id } = place
  await client.query('select from companies where id = $1 for no key update', [company_id])
  await client.query(
    `create temp table seeded on commit drop as
     select people.*, '${company_id}'::uuid as company_id, '${role_id}'::uuid as role_id,
       case when ${randomBelow(20, 'n', seed)} = 0 then 'inactive' else 'active' end as status,
       '+34 600 ' || ${randomBelow(1_000_000, 'n', seed)} as phone, '' as account_phone,
       null::timestamptz as opened_at, now() as created_at
     from (${people}) as people`,
  )
  await client.query(
    'insert into accounts (id, email, name, name_folded) select id, email, name, name_folded from seeded',
  )
  await client.query('alter table seeded rename column id to account_id')
  await insertMemberships(client, 'seeded')
  await countMembers(client, `select '${company_id}'::uuid`)
}
