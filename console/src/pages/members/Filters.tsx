import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { SearchField, Toolbar } from '../../ui/Lists.tsx'
import { FilterMenu } from './FilterMenu.tsx'
import { LazyFilterMenu } from './LazyFilterMenu.tsx'
import { useBranches, useBranchName, useRoleName, useRoles } from './queries.ts'
import { type MemberFilters, useMemberFilters } from './use-filters.ts'

export function Filters() {
  const t = useTexts('members')
  const { can } = useCompany()
  const roleLabel = useRoleLabel()
  const { filters, change, isNarrowed, clear } = useMemberFilters()
  const { search = '', status, roleId, branchId } = filters
  return (
    <Toolbar>
      <SearchField
        label={t.search}
        value={search}
        onSearch={(words) => change({ search: words || undefined }, { replace: true })}
      />
      <StatusFilter value={status} onChange={(next) => change({ status: next })} />
      {can('roles:read') && (
        <LazyFilterMenu
          label={t.fields.role}
          value={roleId}
          use={useRoles}
          useOne={useRoleName}
          labelOf={roleLabel}
          searchLabel={t.picker.searchRoles}
          onChange={(next) => change({ roleId: next })}
        />
      )}
      {can('branches:read') && (
        <LazyFilterMenu
          label={t.fields.branch}
          value={branchId}
          use={useBranches}
          useOne={useBranchName}
          searchLabel={t.picker.searchBranches}
          onChange={(next) => change({ branchId: next })}
        />
      )}
      <SortMenu />
      {isNarrowed && (
        <Button variant="quiet" onClick={clear}>
          {t.clearFilters}
        </Button>
      )}
    </Toolbar>
  )
}

interface StatusFilterProps {
  value: MemberFilters['status']
  onChange: (status: MemberFilters['status']) => void
}

function StatusFilter({ value, onChange }: StatusFilterProps) {
  const t = useTexts('members')
  const choices = [
    { value: 'active', label: t.active },
    { value: 'inactive', label: t.inactive },
  ]
  return (
    <FilterMenu
      label={t.fields.status}
      value={value}
      choices={choices}
      onChange={(next) => onChange(next as MemberFilters['status'])}
    />
  )
}

/** On a phone there are no columns to sort by, and the address is in no column of its own. */
function SortMenu() {
  const t = useTexts('members').sort
  const { sorting, sort } = useMemberFilters()
  const choices = [
    { value: 'name asc', label: t.name },
    { value: 'name desc', label: t.nameDown },
    { value: 'email asc', label: t.email },
    { value: 'created_at desc', label: t.newest },
    { value: 'created_at asc', label: t.oldest },
    { value: 'status asc', label: t.status },
  ]
  const wanted = `${sorting.by} ${sorting.direction}`
  const onChange = (value = '') => {
    const [by = 'name', direction] = value.split(' ')
    sort({ by, direction: direction === 'desc' ? 'desc' : 'asc' })
  }
  return (
    <FilterMenu
      always
      label={t.label}
      value={choices.find(({ value }) => value === wanted)?.value ?? `${sorting.by} asc`}
      choices={choices}
      onChange={onChange}
    />
  )
}
