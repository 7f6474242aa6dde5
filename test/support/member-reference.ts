import { likePattern } from '../../src/database/like.ts'
import type { MemberQuery } from '../../src/features/members/schemas.ts'
import type { TestDatabase } from './database.ts'

const columns = { name: 'm.name_folded', email: 'm.email', created_at: 'm.created_at', status: 'm.status' }

const IS_OPENED = 'm.opened_at is not null'

/** The list as plain SQL says it, from the tables of record and without any copy, counter or limit of gathered members. */
export async function plainList(db: TestDatabase, companyId: string, query: MemberQuery) {
  const { search, status, roleId, branchId, sortBy, sortDir, page, limit } = query
  const matching = `
    from memberships m join accounts a on a.id = m.account_id
    where m.company_id = $1 and ($2::text is null or a.name_folded || ' ' || a.email like $2)
      and ($3::text is null or m.status = $3)
      and ($4::uuid is null or m.account_id in (select account_id from membership_roles where role_id = $4))
      and ($5::uuid is null or m.account_id in (select account_id from membership_branches where branch_id = $5))`
  const values = [companyId, search ? likePattern(search) : null, status ?? null, roleId ?? null, branchId ?? null]
  const [count] = await db.query<{ total: number }>(`select count(*)::int as total ${matching}`, values)
  const rows = await db.query<{ id: string; created_at: Date }>(
    `select a.id, a.name, a.email, m.created_at,
       case when m.phone = '' and ${IS_OPENED} then a.phone else m.phone end as phone,
       case when m.position = '' and ${IS_OPENED} then a.position else m.position end as position,
       case when ${IS_OPENED} then a.avatar_url end as avatar_url,
       a.must_change_password and (${IS_OPENED} or m.created_account) as must_change_password,
       m.created_account and a.opened_companies = (${IS_OPENED})::int as managed,
       a.password_shown_at is not null and (${IS_OPENED} or m.created_account) as password_shown, m.status,
       a.has_second_factor and (${IS_OPENED} or m.created_account) as second_factor,
       array(select r.name from membership_roles h join roles r on r.id = h.role_id
         where h.company_id = $1 and h.account_id = a.id order by r.name, r.id) as roles,
       array(select r.id::text from membership_roles h join roles r on r.id = h.role_id
         where h.company_id = $1 and h.account_id = a.id order by r.name, r.id) as "roleIds",
       array(select b.branch_id::text from membership_branches b
         where b.company_id = $1 and b.account_id = a.id order by b.branch_id) as "branchIds"
     ${matching} order by ${columns[sortBy]} ${sortDir}, m.account_id ${sortDir} limit $6 offset $7`,
    [...values, limit, (page - 1) * limit],
  )
  const items = rows.map(({ created_at, ...row }) => ({ ...row, created_at: created_at.toISOString() }))
  return { items, total: count?.total }
}
