import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import type { Permission } from '../../permissions.ts'

export interface RoleView {
  id: string
  name: string
  description: string
  permissions: Permission[]
  isSystem: boolean
  memberCount: number
  created_at: string
  updated_at: string
}

export interface RoleQuery {
  page: number
  limit: number
  sortBy: 'name' | 'created_at'
  sortDir: 'asc' | 'desc'
}

export async function listRoles(
  tx: Tx,
  { page, limit, sortBy, sortDir }: RoleQuery,
): Promise<{ items: RoleView[]; total: number }> {
  const [items, { total }] = await Promise.all([
    tx
      .selectFrom('roles')
      .select([
        'id',
        'name',
        'description',
        sql<Permission[]>`permissions`.as('permissions'),
        'created_at',
        'updated_at',
      ])
      .select([sql<boolean>`system_key is not null`.as('isSystem'), memberCount.as('memberCount')])
      .orderBy(sortBy === 'name' ? sql`lower(name)` : sql`created_at`, sortDir)
      .orderBy('id', sortDir)
      .limit(sql.lit(limit))
      .offset((page - 1) * limit)
      .execute(),
    tx
      .selectFrom('roles')
      .select((count) => count.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow(),
  ])
  return { items, total }
}

const memberCount = sql<number>`(
  select count(*) from membership_roles
  where membership_roles.company_id = roles.company_id and membership_roles.role_id = roles.id)`
