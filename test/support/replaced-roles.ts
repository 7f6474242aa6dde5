import assert from 'node:assert/strict'
import { rewriteReplacedRoles } from '../../src/features/roles/replaced-roles.ts'
import type { TestApp } from './app.ts'
import { type CustomRole, createRole, join } from './members.ts'
import { type Person, signUp } from './people.ts'

/** More members than get another role in the transaction that deletes theirs. */
const CROWD = 520

export interface ReplacedRole {
  ann: Person
  bob: Person
  /** Deleted; its members have got `clerk`, but some of their rows still name `desk`. */
  desk: CustomRole
  clerk: CustomRole
  /** All members who have `clerk`. */
  count: number
}

/** A company with a role that many members have, bob among them. A fifth of the others have `clerk`, too. */
export async function createCrowdedRole({ client, db }: TestApp): Promise<ReplacedRole> {
  const ann = await signUp(client)
  const desk = await createRole(ann, 'Desk', ['users:read', 'users:update'])
  const clerk = await createRole(ann, 'Clerk', ['branches:read', 'branches:create'])
  const bob = await join(ann, await signUp(client), ['Desk'])
  await db.query(
    `with made as (
       insert into accounts (id, email, name, name_folded)
       select gen_random_uuid(), 'crowd.' || gen_random_uuid() || '@example.com', 'Crowd', 'crowd' from generate_series(1, $2)
       returning id
     ), joined as (
       insert into memberships (company_id, account_id) select $1, id from made returning account_id
     ), counted as (
       update company_counters set active_members = active_members + $2 where company_id = $1
     ), numbered as (select account_id, row_number() over () as n from joined)
     insert into membership_roles (company_id, account_id, role_id)
     select $1, account_id, $3::uuid from numbered union all select $1, account_id, $4::uuid from numbered where n % 5 = 0`,
    [ann.company.id, CROWD, desk.id, clerk.id],
  )
  return { ann, bob, desk, clerk, count: CROWD + 1 }
}

/** The same after `desk` was deleted, and before the worker has begun. */
export async function createReplacedRole(service: TestApp): Promise<ReplacedRole> {
  const company = await createCrowdedRole(service)
  const { ann, desk, clerk } = company
  assert.equal((await ann.api.delete(`${desk.path}?reassignTo=${clerk.id}`)).status, 200)
  assert.ok((await rowsLeft(service, ann)) > 500)
  return company
}

/** How many rows of members name a replaced role. */
export async function rowsLeft({ db }: TestApp, { company }: Person): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from membership_roles join roles on roles.id = role_id
     where membership_roles.company_id = $1 and replaced_by is not null`,
    [company.id],
  )
  return row?.count ?? 0
}

/** Runs a worker until it has nothing left to do, or for so many batches. */
export async function runRolesWorker(
  { database }: TestApp,
  { batches = Infinity, membersAtOnce = 100 } = {},
): Promise<void> {
  let left = batches
  const signal = {
    get aborted() {
      return left-- <= 0
    },
  } as AbortSignal
  const onFailure = (error: Error) => assert.fail(error)
  await rewriteReplacedRoles(database, { signal, onFailure, membersAtOnce })
}

/** Every role counts its members exactly, and every member has a role. */
export async function assertCounted({ db }: TestApp, { company }: Person): Promise<void> {
  const wrong = await db.query(
    `select role_id, members, held from role_counters full join (
       select coalesce(replaced_by, id) as role_id, count(distinct account_id) as held
       from membership_roles join roles on roles.id = role_id where roles.company_id = $1 group by 1) counted using (role_id)
     where coalesce(company_id, $1) = $1 and coalesce(members, 0) <> coalesce(held, 0)`,
    [company.id],
  )
  assert.deepEqual(wrong, [])
  const without = await db.query(
    `select account_id from memberships where company_id = $1 and not exists (
       select from membership_roles r where r.company_id = $1 and r.account_id = memberships.account_id)`,
    [company.id],
  )
  assert.deepEqual(without, [])
}
