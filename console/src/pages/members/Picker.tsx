import type { UseQueryResult } from '@tanstack/react-query'
import type { Branch, Page, Role } from '@tenantry/client'
import { type ReactNode, Suspense, useState } from 'react'
import { useBuiltInText, useRoleLabel } from '../../api/built-in-roles.ts'
import { usePermissionText } from '../../api/use-permission-text.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Checkbox } from '../../ui/Field.tsx'
import { SearchField } from '../../ui/Lists.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import styles from './members.module.css'
import { useAuthority, useBranches, useRoles } from './queries.ts'

/** From so many on it is quicker to search than to look. */
const SEARCHED_FROM = 9

interface PickerProps {
  value: readonly string[]
  onChange: (ids: string[]) => void
  error?: string | undefined
}

/** The texts of another area may still have to come; only the picker waits for them. */
export const RolePicker = (props: PickerProps) => (
  <Suspense fallback={<Skeleton lines={4} />}>
    <Roles {...props} />
  </Suspense>
)

/** What the caller may not give is there, with the reason, unless the member has it already. */
function Roles({ value, onChange, error }: PickerProps) {
  const t = useTexts('members')
  const { list } = useFormat()
  const builtInText = useBuiltInText()
  const textOf = usePermissionText()
  const roleLabel = useRoleLabel()
  const { isOwner, isOwnerRole, lackingIn } = useAuthority()
  const reasonOf = (role: Role) => {
    if (isOwnerRole(role) && !isOwner) return t.picker.ownerOnly
    const lacking = lackingIn(role)
    return lacking.length > 0 ? t.picker.lacking({ permissions: list(lacking.map(textOf)) }) : undefined
  }
  return (
    <Picker<Role>
      {...{ value, onChange, error }}
      legend={t.fields.roles}
      searchLabel={t.picker.searchRoles}
      use={useRoles}
      labelOf={roleLabel}
      hintOf={(role) => builtInText(role) ?? role.description}
      reasonOf={reasonOf}
    />
  )
}

export function BranchPicker({ value, onChange, kept = [] }: PickerProps & { kept?: readonly string[] }) {
  const t = useTexts('members')
  return (
    <Picker<Branch>
      {...{ value, onChange }}
      optional
      legend={t.fields.branches}
      searchLabel={t.picker.searchBranches}
      hint={t.picker.branchesHint}
      empty={t.picker.noBranches}
      use={useBranches}
      labelOf={pathOf}
      reasonOf={({ id, status }) => (status === 'active' || kept.includes(id) ? undefined : t.picker.inactiveBranch)}
    />
  )
}

/** Two branches may have the same name below different ones. */
export function pathOf({ name, parentId }: Branch, all: readonly Branch[]): string {
  const parent = all.find(({ id }) => id === parentId)
  return parent ? `${pathOf(parent, all)} / ${name}` : name
}

interface Item {
  id: string
}

interface ListPickerProps<Of extends Item> extends PickerProps {
  legend: string
  searchLabel: string
  hint?: ReactNode
  optional?: boolean
  /** Instead of the choices, where there are none at all. */
  empty?: string
  use: (enabled: boolean, search: string) => UseQueryResult<Page<Of>>
  labelOf: (item: Of, all: readonly Of[]) => string
  hintOf?: (item: Of) => string
  /** Why it can't be chosen. */
  reasonOf: (item: Of) => string | undefined
}

function Picker<Of extends Item>({ legend, hint, optional, error, ...props }: ListPickerProps<Of>) {
  const common = useTexts('common')
  return (
    <fieldset>
      <legend className={styles.legend}>
        {legend} {optional && <span className={styles.hint}>({common.optional})</span>}
      </legend>
      <div className={styles.picker}>
        {error && (
          <p className={styles.error} role="alert">
            {error}
          </p>
        )}
        <Choices legend={legend} {...props} />
        {hint && <p className={styles.hint}>{hint}</p>}
      </div>
    </fieldset>
  )
}

function Choices<Of extends Item>({ use: useItems, searchLabel, empty, ...props }: ListPickerProps<Of>) {
  const [search, setSearch] = useState('')
  const whole = useItems(true, '')
  const isCut = whole.data !== undefined && whole.data.total > whole.data.items.length
  const found = useItems(isCut && search !== '', search)
  if (whole.error && !whole.data) return <ErrorState problem={whole.error} onRetry={() => void whole.refetch()} />
  if (!whole.data) return <Skeleton lines={4} />
  if (whole.data.total === 0 && empty) return <p className={styles.hint}>{empty}</p>
  const all = whole.data.items
  const matching = all
    .filter((item) => includes(props.labelOf(item, all), search))
    .sort((a, b) => props.labelOf(a, all).localeCompare(props.labelOf(b, all)))
  const shown = isCut && search ? (found.data?.items ?? []) : matching
  return (
    <>
      {whole.data.total >= SEARCHED_FROM && <SearchField label={searchLabel} value={search} onSearch={setSearch} />}
      <List {...props} items={shown} all={all} />
      {isCut && !search && <CutNote shown={all.length} total={whole.data.total} />}
    </>
  )
}

function CutNote(numbers: { shown: number; total: number }) {
  const { picker } = useTexts('members')
  return <p className={styles.hint}>{picker.more(numbers)}</p>
}

type ListProps<Of extends Item> = Pick<
  ListPickerProps<Of>,
  'value' | 'onChange' | 'labelOf' | 'hintOf' | 'reasonOf'
> & { items: readonly Of[]; all: readonly Of[] }

function List<Of extends Item>({ items, all, value, onChange, labelOf, hintOf, reasonOf }: ListProps<Of>) {
  const { picker } = useTexts('members')
  if (items.length === 0) return <p className={styles.hint}>{picker.none}</p>
  return (
    <div className={styles.choices}>
      {items.map((item) => {
        const isChosen = value.includes(item.id)
        const reason = isChosen ? undefined : reasonOf(item)
        return (
          <Checkbox
            key={item.id}
            label={labelOf(item, all)}
            hint={reason ?? hintOf?.(item)}
            checked={isChosen}
            disabled={reason !== undefined}
            onChange={(checked) => onChange(checked ? [...value, item.id] : value.filter((id) => id !== item.id))}
          />
        )
      })}
    </div>
  )
}

const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
const includes = (text: string, search: string) => plain(text).includes(plain(search))
