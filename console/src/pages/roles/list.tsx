import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Role } from '@tenantry/client'
import { useState } from 'react'
import { useBuiltInText, useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Badge } from '../../ui/Badge.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { Can, PageFor } from '../../ui/Can.tsx'
import { FilterSelect } from '../../ui/Field.tsx'
import { Pagination, SearchField, Toolbar } from '../../ui/Lists.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { DeleteRoleDialog } from './DeleteRoleDialog.tsx'
import { RoleMenu } from './RoleMenu.tsx'
import styles from './roles.module.css'

interface Filters {
  search?: string
  isSystem?: 'true' | 'false'
  page?: string
  sortBy?: 'name' | 'memberCount'
  sortDir?: 'asc' | 'desc'
}

export function RolesPage() {
  const t = useTexts('roles')
  const { path } = useCompany()
  const create = (
    <Can permission="roles:create">
      <ButtonLink variant="primary" icon="add" to={path('roles/new')}>
        {t.create}
      </ButtonLink>
    </Can>
  )
  return (
    <PageFor permission="roles:read">
      <Page title={t.title} intro={t.intro} actions={create}>
        <RoleList />
      </Page>
    </PageFor>
  )
}

/** Where a company has more roles than this, there are pages of them. */
const LIMIT = 50

function RoleList() {
  const t = useTexts('roles')
  const [filters, change] = useFilters()
  const [deleting, setDeleting] = useState<Role>()
  const page = Number(filters.page ?? 1)
  const query = { ...filters, page, limit: LIMIT }
  const { data, error, refetch, isPlaceholderData } = useCompanyQuery(['role-list', query], (scope, options) =>
    scope.roles.page(query, options),
  )
  const columns = useColumns()
  return (
    <>
      <Toolbar>
        <SearchField label={t.list.search} value={filters.search ?? ''} onSearch={(search) => change({ search })} />
        <KindFilter value={filters.isSystem} onChange={(isSystem) => change({ isSystem })} />
      </Toolbar>
      {data ? (
        data.items.length > 0 ? (
          <Table
            label={t.title}
            columns={columns}
            rows={data.items}
            keyOf={({ id }) => id}
            actions={(role) => <RoleMenu role={role} onDelete={() => setDeleting(role)} />}
            sorting={{ by: filters.sortBy ?? 'name', direction: filters.sortDir ?? 'asc' }}
            onSort={({ by, direction }) => change({ sortBy: by as 'name', sortDir: direction })}
            busy={isPlaceholderData}
          />
        ) : (
          <NoRoles isSearch={Boolean(filters.search)} />
        )
      ) : error ? (
        <ErrorState problem={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton />
      )}
      {data && <Pagination {...data} onPage={(next) => change({ page: String(next) })} />}
      {deleting && <DeleteRoleDialog role={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

function KindFilter({
  value,
  onChange,
}: {
  value: Filters['isSystem']
  onChange: (next: Filters['isSystem']) => void
}) {
  const t = useTexts('roles').list
  const options = [
    { value: '', label: t.all },
    { value: 'true', label: t.onlyBuiltIn },
    { value: 'false', label: t.onlyOwn },
  ]
  const change = (next: string) => onChange((next || undefined) as Filters['isSystem'])
  return <FilterSelect label={t.filter} options={options} value={value ?? ''} onChange={change} />
}

function NoRoles({ isSearch }: { isSearch: boolean }) {
  const t = useTexts('roles').list
  const common = useTexts('common')
  if (isSearch) return <EmptyState boxed title={common.noResults} message={common.noResultsHint} />
  return <EmptyState boxed icon="role" title={t.emptyTitle} message={t.emptyMessage} />
}

function useColumns(): Column<Role>[] {
  const t = useTexts('roles')
  const { can, path } = useCompany()
  const builtInText = useBuiltInText()
  const roleLabel = useRoleLabel()
  const format = useFormat()
  return [
    {
      key: 'name',
      header: t.list.name,
      primary: true,
      sortable: true,
      cell: (role) => (
        <div className={styles.role}>
          <span className={styles.name}>
            <Link to={path(`roles/${role.id}`)}>{roleLabel(role)}</Link>
            {role.isSystem && <Badge>{t.builtIn}</Badge>}
          </span>
          <span className={styles.about}>{builtInText(role) ?? role.description}</span>
        </div>
      ),
    },
    {
      key: 'permissions',
      header: t.list.permissions,
      cell: ({ permissions }) => <span className={styles.count}>{format.number(permissions.length)}</span>,
    },
    {
      key: 'memberCount',
      header: t.list.members,
      sortable: true,
      cell: ({ id, memberCount }) =>
        can('users:read') && memberCount > 0 ? (
          <Link
            className={styles.count}
            to={path('members')}
            search={{ roleId: id }}
            aria-label={t.list.memberCount({ count: memberCount })}
          >
            {format.number(memberCount)}
          </Link>
        ) : (
          <span className={styles.count}>{format.number(memberCount)}</span>
        ),
    },
  ]
}

/** They are in the address. Another filter begins at the first page. */
function useFilters(): [Filters, (change: Filters) => void] {
  const search: Record<string, string> = useSearch({ strict: false })
  const navigate = useNavigate()
  const filters: Filters = {
    ...(search.search && { search: search.search }),
    ...(/^(true|false)$/.test(search.isSystem ?? '') && { isSystem: search.isSystem as 'true' }),
    ...(/^[1-9]\d{0,5}$/.test(search.page ?? '') && { page: search.page as string }),
    ...(/^(name|memberCount)$/.test(search.sortBy ?? '') && { sortBy: search.sortBy as 'name' }),
    ...(/^(asc|desc)$/.test(search.sortDir ?? '') && { sortDir: search.sortDir as 'asc' }),
  }
  const change = (next: Filters) => {
    const whole = Object.entries({ ...filters, page: undefined, ...next }).filter(([, value]) => value)
    void navigate({ to: '.', search: Object.fromEntries(whole), replace: true })
  }
  return [filters, change]
}
