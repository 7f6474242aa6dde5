import { lazy, type ReactElement, type ReactNode, Suspense } from 'react'
import type { ButtonProps } from './Button.tsx'
import type { IconName } from './Icon.tsx'

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

/** The library places menus within the window, which is a third of all code of the first page: it comes after it. */
const Popup = lazy(() => import('./MenuPopup.tsx'))

export function Menu(props: MenuProps) {
  return (
    <Suspense fallback={props.trigger}>
      <Popup {...props} />
    </Suspense>
  )
}
