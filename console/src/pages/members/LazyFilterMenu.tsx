import type { UseQueryResult } from '@tanstack/react-query'
import type { Page } from '@tenantry/client'
import { useId, useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Radio } from '../../ui/Field.tsx'
import { SearchField } from '../../ui/Lists.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { FilterMenu } from './FilterMenu.tsx'
import styles from './members.module.css'

interface Named {
  id: string
  name: string
}

interface LazyFilterProps {
  label: string
  searchLabel: string
  value: string | undefined
  onChange: (id: string | undefined) => void
  use: (enabled: boolean, search?: string) => UseQueryResult<Page<Named>>
  useOne: (id: string, enabled: boolean) => { data?: Named | null | undefined }
  /** Instead of the name. */
  labelOf?: (item: Named) => string
}

/**
 * Its choices are read when someone opens it, or when the address already names one of them. Where there are more than it
 * lists, they are searched for in a dialog.
 */
export function LazyFilterMenu({
  use: useChoices,
  useOne,
  labelOf = ({ name }) => name,
  searchLabel,
  ...filter
}: LazyFilterProps) {
  const { value = '', onChange } = filter
  const [isWanted, setWanted] = useState(false)
  const [isSearching, setSearching] = useState(false)
  const { data, isError, refetch } = useChoices(isWanted || value !== '')
  const isElsewhere = data !== undefined && value !== '' && !data.items.some(({ id }) => id === value)
  const chosen = useOne(value, isElsewhere)
  const isCut = data !== undefined && data.total > data.items.length
  return (
    <>
      <FilterMenu
        {...filter}
        choices={data?.items.map((item) => ({ value: item.id, label: labelOf(item) }))}
        chosenLabel={isElsewhere && chosen.data ? labelOf(chosen.data) : undefined}
        onOpen={() => setWanted(true)}
        onRetry={isError ? () => void refetch() : undefined}
        onMore={isCut ? () => setSearching(true) : undefined}
      />
      {isSearching && (
        <SearchDialog
          title={filter.label}
          searchLabel={searchLabel}
          value={value}
          use={useChoices}
          labelOf={labelOf}
          onChoose={(id) => {
            setSearching(false)
            onChange(id)
          }}
          onClose={() => setSearching(false)}
        />
      )}
    </>
  )
}

interface SearchProps extends Pick<Required<LazyFilterProps>, 'use' | 'searchLabel' | 'labelOf'> {
  title: string
  value: string
  onChoose: (id: string) => void
  onClose: () => void
}

function SearchDialog({ title, searchLabel, value, use: useChoices, labelOf, onChoose, onClose }: SearchProps) {
  const t = useTexts('members').picker
  const name = useId()
  const [search, setSearch] = useState('')
  const { data, error, refetch } = useChoices(true, search)
  const items = data?.items ?? []
  return (
    <Dialog open onClose={onClose} title={title}>
      <SearchField label={searchLabel} value={search} onSearch={setSearch} />
      {error && !data && <ErrorState problem={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton lines={4} />}
      {data && items.length === 0 && <p className={styles.hint}>{t.none}</p>}
      <div className={styles.choices}>
        {items.map((item) => (
          <Radio
            key={item.id}
            name={name}
            label={labelOf(item)}
            checked={item.id === value}
            onChange={() => onChoose(item.id)}
          />
        ))}
      </div>
      {data && data.total > items.length && (
        <p className={styles.hint}>{t.more({ shown: items.length, total: data.total })}</p>
      )}
    </Dialog>
  )
}
