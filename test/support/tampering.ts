import { sql } from 'kysely'
import { commitmentTo } from '../../src/features/audit/chain/commitments.ts'
import { recordHash } from '../../src/features/audit/chain/hashing.ts'
import { type RecordRow, recordColumns, recordFrom } from '../../src/features/audit/chain/queries.ts'
import type { SealedRecord } from '../../src/features/audit/chain/sealed-record.ts'
import type { TestApp } from './app.ts'

/** Changes the audit log by hand in the database. */
export type Tamper = (service: TestApp, companyId: string) => Promise<unknown>

/** `$1` is the company. */
export const statements =
  (...texts: string[]): Tamper =>
  async ({ db }, companyId) => {
    for (const text of texts) await db.query(text, [companyId])
  }

export const edit = (set: string, seq = 1500): Tamper =>
  statements(`update audit_records set ${set} where company_id = $1 and seq = ${seq}`)

/** Swaps two positions by way of a third, because they are unique. */
export const swap = (one: number, other: number, ...also: string[]) =>
  statements(
    ...[
      [one, 9_000_000],
      [other, one],
      [9_000_000, other],
    ].map(([from, to]) => `update audit_records set seq = ${to} where company_id = $1 and seq = ${from}`),
    ...also,
  )

/** What an attacker can do without the key: all hashes from here on are right again. */
export const recompute =
  (seq: number): Tamper =>
  async ({ database, db }, companyId) => {
    const { rows } =
      await sql<RecordRow>`select ${recordColumns} from audit_records where seq >= ${seq - 1} order by seq`.execute(
        database.autocommit({ role: 'tenantry_tenant', companyId, slow: true }),
      )
    const [before, ...records] = rows.map(recordFrom)
    let hash = before?.hash as string
    for (const record of records) {
      hash = recordHash(companyId, hash, record.seq, record)
      await db.query(`update audit_records set hash = decode($2, 'hex') where id = $1`, [record.id, hash])
    }
  }
/** Its commitment to the actor, with another actor beside it. */
export const replaceActor: Tamper = async ({ db }, company) => {
  const [row] = await db.query(
    `select actor_name, actor_email, host(ip) as ip, user_agent, encode(actor_salt, 'hex') as salt
     from audit_records where company_id = $1 and seq = 1500`,
    [company],
  )
  const { actor_name: name, actor_email: email, ip, user_agent, salt } = row as Record<string, string>
  const commitment = commitmentTo('actor', {
    actor: { id: null, name, email },
    target: { type: '', id: '', label: '' },
    changes: {},
    ip,
    user_agent,
    request_id: '',
    personal: { actor: { salt }, target: { salt } },
  } as SealedRecord)
  await db.query(
    `update audit_records set actor_name = 'Eve', actor_salt = null, actor_commitment = decode($2, 'hex')
     where company_id = $1 and seq = 1500`,
    [company, commitment],
  )
}

export const combine =
  (...tampers: Tamper[]): Tamper =>
  async (service, companyId) => {
    for (const tamper of tampers) await tamper(service, companyId)
  }

export const shiftUp = `update audit_records set seq = seq + 1000000 where company_id = $1 and seq >= 1500 and seq < 1000000`
export const shiftDown = `update audit_records set seq = seq - 999999 where company_id = $1 and seq > 1000000`
/** Inserts a copy of the record at 1499. */
export const insertAt = (
  seq: number,
) => `insert into audit_records (id, company_id, seq, hash, action, outcome, target_type, created_at)
  select gen_random_uuid(), company_id, ${seq}, hash, 'things.invent', 'done', 'thing', created_at
  from audit_records where company_id = $1 and seq = 1499`
