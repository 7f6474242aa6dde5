import { lazy, Suspense } from 'react'
import type { MenuProps } from './MenuPopup.tsx'

/** The library places menus within the window, which is a third of all code of the first page: it comes after it. */
const Popup = lazy(() => import('./MenuPopup.tsx'))

export function Menu(props: MenuProps) {
  return (
    <Suspense fallback={props.trigger}>
      <Popup {...props} />
    </Suspense>
  )
}
