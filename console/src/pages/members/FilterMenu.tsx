import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuItem } from '../../ui/MenuPopup.tsx'
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
  /** Where there are more than the choices. */
  onMore?: (() => void) | undefined
  /** The name of what is chosen, where it is none of the choices. */
  chosenLabel?: string | undefined
}

/** A filter above the list: its name, what is chosen, and the choices when it is opened. */
export function FilterMenu({ label, value, choices, onChange, always, ...props }: FilterMenuProps) {
  const t = useTexts('members')
  const { onOpen, onRetry, onMore, chosenLabel } = props
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
          <span className={styles.filterValue}>{chosen?.label ?? (value ? (chosenLabel ?? '…') : t.all)}</span>
          <Icon name="chevronDown" />
        </Button>
      }
      groups={[
        { items: always ? [] : [all] },
        { items: items ?? [waiting] },
        { items: onMore ? [{ label: t.listMore, icon: 'search', onSelect: onMore }] : [] },
      ]}
    />
  )
}
