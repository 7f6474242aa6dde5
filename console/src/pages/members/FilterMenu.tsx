import { useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Menu, type MenuItem } from '../../ui/Menu.tsx'
import styles from './members.module.css'

export interface FilterChoice {
  value: string
  label: string
}

interface FilterMenuProps {
  label: string
  /** Undefined: all. */
  value: string | undefined
  /** Undefined while they are read. */
  choices: readonly FilterChoice[] | undefined
  onChange: (value: string | undefined) => void
  /** One is always chosen: there is no “All”. */
  always?: boolean
  /** When someone begins to open it. */
  onOpen?: () => void
  /** Where the choices could not be read. */
  onRetry?: (() => void) | undefined
}

/** A filter above the list: its name, what is chosen, and the choices when it is opened. */
export function FilterMenu({ label, value, choices, onChange, always, onOpen, onRetry }: FilterMenuProps) {
  const t = useTexts('members')
  const chosen = choices?.find((each) => each.value === value)
  const all: MenuItem = { label: t.all, checked: value === undefined, onSelect: () => onChange(undefined) }
  const waiting: MenuItem = onRetry ? { label: t.listFailed, onSelect: onRetry } : { label: t.listLoading }
  const items = choices?.map((each) => ({
    label: each.label,
    checked: each.value === value,
    onSelect: () => onChange(each.value),
  }))
  return (
    <Menu
      align="start"
      trigger={
        <Button
          onPointerDown={onOpen}
          onClick={onOpen}
          onKeyDown={({ key }) => key !== 'Tab' && key !== 'Shift' && onOpen?.()}
        >
          <span className={styles.filterLabel}>{label}</span>
          <span className={styles.filterValue}>{chosen?.label ?? (value ? '…' : t.all)}</span>
          <Icon name="chevronDown" />
        </Button>
      }
      groups={[{ items: always ? [] : [all] }, { items: items ?? [waiting] }]}
    />
  )
}

interface LazyFilterProps extends Pick<FilterMenuProps, 'label' | 'value' | 'onChange'> {
  use: (enabled: boolean) => {
    data?: { items: readonly { id: string; name: string }[] } | undefined
    isError: boolean
    refetch: () => unknown
  }
}

/** Its choices are read when someone opens it, or when the address already names one of them. */
export function LazyFilterMenu({ use: useChoices, ...filter }: LazyFilterProps) {
  const [isWanted, setWanted] = useState(false)
  const { data, isError, refetch } = useChoices(isWanted || filter.value !== undefined)
  return (
    <FilterMenu
      {...filter}
      choices={data?.items.map(({ id, name }) => ({ value: id, label: name }))}
      onOpen={() => setWanted(true)}
      onRetry={isError ? () => void refetch() : undefined}
    />
  )
}
