import { Menu } from '@base-ui/react/menu'
import { Link } from '@tanstack/react-router'
import { type ReactElement, type ReactNode, useState } from 'react'
import type { ButtonProps } from './Button.tsx'
import { classes } from './classes.ts'
import { Icon, type IconName } from './Icon.tsx'
import styles from './Menu.module.css'

export interface MenuItem {
  label: ReactNode
  icon?: IconName
  /** A link or an action. */
  to?: string
  /** A page that is not of the console. */
  href?: string
  onSelect?: () => void
  /** The one of several that is chosen now. */
  checked?: boolean
  danger?: boolean
}

/** Items in groups, with lines between; a group may have a name. */
export interface MenuGroup {
  label?: string
  items: MenuItem[]
}

export interface MenuProps {
  /** A `Button` or `IconButton`; it gets all that makes it open the menu. */
  trigger: ReactElement<ButtonProps>
  groups: MenuGroup[]
  align?: 'start' | 'end'
}

export default function MenuPopup({ trigger, groups, align = 'end' }: MenuProps) {
  const shown = groups.filter(({ items }) => items.length > 0)
  // In a landmark, where screen readers expect all content. It may not be there yet when the menu is drawn.
  const [landmark, setLandmark] = useState<HTMLElement | null>(null)
  return (
    <Menu.Root modal={false} onOpenChange={() => setLandmark(document.querySelector('main'))}>
      <Menu.Trigger render={trigger} />
      <Menu.Portal container={landmark}>
        <Menu.Positioner className={styles.positioner} align={align} sideOffset={6}>
          <Menu.Popup className={styles.popup}>
            {shown.map((group, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: Groups have no names and do not move.
              <Group key={index} group={group} isFirst={index === 0} />
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function Group({ group: { label, items }, isFirst }: { group: MenuGroup; isFirst: boolean }) {
  return (
    <>
      {!isFirst && <Menu.Separator className={styles.separator} />}
      <Menu.Group>
        {label && <Menu.GroupLabel className={styles.label}>{label}</Menu.GroupLabel>}
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: Items are told apart by their place.
          <Item key={index} item={item} />
        ))}
      </Menu.Group>
    </>
  )
}

function Item({ item }: { item: MenuItem }) {
  const { label, icon, to, href, onSelect, checked, danger } = item
  const content = (
    <>
      {icon && <Icon name={icon} />}
      <span>{label}</span>
      {checked && (
        <span className={styles.mark}>
          <Icon name="check" />
        </span>
      )}
    </>
  )
  const className = classes(styles.item, danger && styles.danger)
  if (to) {
    return (
      <Menu.LinkItem className={className} closeOnClick render={<Link to={to} aria-current={checked || undefined} />}>
        {content}
      </Menu.LinkItem>
    )
  }
  if (href) {
    return (
      <Menu.LinkItem className={className} closeOnClick href={href}>
        {content}
      </Menu.LinkItem>
    )
  }
  if (checked !== undefined) {
    return (
      <Menu.CheckboxItem className={className} checked={checked} closeOnClick onCheckedChange={onSelect}>
        {content}
      </Menu.CheckboxItem>
    )
  }
  return (
    <Menu.Item className={className} onClick={onSelect}>
      {content}
    </Menu.Item>
  )
}
