import { sql } from 'kysely'
import type { Permission } from '../../access/permissions.ts'
import { likePattern } from '../../database/like.ts'
import type { Tx } from '../../database/open.ts'
import { findPage } from '../../database/paging.ts'
import type { Page } from '../../lib/paging.ts'
import { problem } from '../../problems.ts'
import type { RoleQuery } from './schemas.ts'

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

export async function listRoles(tx: Tx, query: RoleQuery): Promise<Page<RoleView>> {
  const { search, isSystem, sortBy, sortDir } = query
  const matching = tx
    .selectFrom('roles')
    .where('replaced_by', 'is', null)
    .$if(search !== undefined && search !== '', (roles) => roles.where('search', 'like', likePattern(search as string)))
    .$if(isSystem !== undefined, (roles) => roles.where('system_key', isSystem === 'true' ? 'is not' : 'is', null))
  return findPage(matching, query, (roles, total) =>
    roles.select(columns).select(total.as('total')).orderBy(sortColumns[sortBy], sortDir).orderBy('id', sortDir),
  )
}

export async function getRole(tx: Tx, roleId: string): Promise<RoleView> {
  const role = await tx
    .selectFrom('roles')
    .select(columns)
    .where('id', '=', roleId)
    .where('replaced_by', 'is', null)
    .executeTakeFirst()
  if (!role) throw problem('role_not_found')
  return role
}

/** Read from the counter that the database keeps. */
const memberCount = sql<number>`coalesce((
  select members from role_counters
  where role_counters.company_id = roles.company_id and role_counters.role_id = roles.id), 0)`

const columns = [
  'id',
  'name',
  'description',
  sql<Permission[]>`permissions`.as('permissions'),
  sql<boolean>`system_key is not null`.as('isSystem'),
  memberCount.as('memberCount'),
  'created_at',
  'updated_at',
] as const

const sortColumns = { name: 'name_folded', created_at: 'created_at', memberCount: memberCount } as const
