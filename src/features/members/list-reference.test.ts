import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { before, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { createBranch } from '../../../test/support/branches.ts'
import { plainList } from '../../../test/support/member-reference.ts'
import { createRole, rolesOf } from '../../../test/support/members.ts'
import { signUp } from '../../../test/support/people.ts'
import { MemberQuery } from './schemas.ts'

const MEMBERS = 300
const QUERIES = 250
const WORDS = ['Ann', 'Bob', 'Álvaro', 'Zoe', '100%', 'a_b', 'back\\slash', '"\u0001\n\u007f\u2028😀']

const service = await useTestApp()
const ann = await signUp(service.client)
const pick = <Value>(values: readonly Value[]) => values[randomInt(values.length)] as Value
const sometimes = <Value>(value: Value) => (randomInt(3) === 0 ? value : undefined)
let roleIds: string[]
let branchIds: string[]

before(async () => {
  for (const name of ['ärztin', 'Zebra', 'apple', 'Apple pie']) await createRole(ann, name)
  roleIds = Object.values(await rolesOf(ann))
  for (let i = 0; i < 3; i++) await createBranch(ann)
  branchIds = (await ann.api.get('/companies/branches')).body.data.map(({ id }: { id: string }) => id)
  await addMembers()
  await changeAccounts()
})

/** Some opened by their account, some created by the company, some known to another company. With triggers. */
async function addMembers(): Promise<void> {
  await service.db.query(
    `with people as (
       insert into accounts (id, email, name, name_folded, phone, position, avatar_url, managed_by, must_change_password)
       select gen_random_uuid(), lower(word) || n || '@example.com', word || ' ' || n % 9, lower(word) || ' ' || n % 9,
         case when n % 2 = 0 then '+1 ' || n else '' end, case when n % 3 = 0 then 'P' || n else '' end, 'https://a/' || n,
         case when n % 4 < 2 then $1::uuid end, n % 5 = 0
       from generate_series(1, ${MEMBERS}) n,
         lateral (select ($4::text[])[1 + n % cardinality($4)] as word) named
       returning id, email
     ), joined as (
       insert into memberships (company_id, account_id, status, phone, opened_at)
       select $1, id, case when random() < 0.2 then 'inactive' else 'active' end,
         case when random() < 0.5 then 'own' else '' end, case when random() < 0.5 then now() end
       from people returning account_id, status
     ), counted as (
       update company_counters set active_members = active_members + (select count(*) from joined where status = 'active'),
         inactive_members = (select count(*) from joined where status = 'inactive') where company_id = $1
     ), placed as (
       insert into membership_branches (company_id, account_id, branch_id)
       select $1, account_id, branch_id from joined, unnest($3::uuid[]) branch_id where random() < 0.3
     )
     insert into membership_roles (company_id, account_id, role_id)
     select $1, account_id, role_id from joined, unnest($2::uuid[]) role_id where random() < 0.3`,
    [ann.company.id, roleIds, branchIds, WORDS],
  )
}

/** Each changes in one of the ways in which accounts do, after it was copied. */
async function changeAccounts(): Promise<void> {
  const changes = [
    `phone = '+2'`,
    `position = 'Changed'`,
    'avatar_url = null',
    `name = 'Changed', name_folded = 'changed'`,
    'must_change_password = not must_change_password',
    'password_shown_at = now(), email_verified_at = null',
    'opened_companies = opened_companies + 1',
  ]
  for (const [place, change] of changes.entries())
    await service.db.query(`update accounts set ${change} where hashtext(id::text) % 10 = $1`, [place])
  await service.db.query(
    `update memberships set opened_at = now() where company_id = $1 and opened_at is null and not awaits_verification
       and hashtext(account_id::text) % 3 = 0`,
    [ann.company.id],
  )
}

function anyQuery(): URLSearchParams {
  const wanted = {
    search: sometimes(
      pick(['a', 'an', 'ann', 'bob 1', 'example.com', '%', '_', '\\', 'zoe', 'changed', 'stranger', 'ÁLV']),
    ),
    status: sometimes(pick(['active', 'inactive'])),
    roleId: sometimes(pick(roleIds)),
    branchId: sometimes(pick(branchIds)),
    sortBy: pick(['name', 'email', 'created_at', 'status']),
    sortDir: pick(['asc', 'desc']),
    limit: pick([1, 1, 7, 20, 100]),
    page: pick([1, 1, 2, 3, 15, 50, 201, 250, MEMBERS, MEMBERS + 1, MEMBERS + 2]),
  }
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)] as [string, string]))
}

it('answers every combination of filters, orders and pages as plain SQL does', async () => {
  for (let i = 0; i < QUERIES; i++) {
    const query = anyQuery()
    const { body } = await ann.api.get(`/companies/users?${query}`)
    const expected = await plainList(service.db, ann.company.id, MemberQuery.parse(Object.fromEntries(query)))
    assert.deepEqual({ items: body.data, total: body.total }, expected, `${query}`)
  }
})
