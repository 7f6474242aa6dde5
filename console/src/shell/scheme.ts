import { useState } from 'react'

const KEY = 'tenantry.scheme'
export const schemes = ['system', 'light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

/** Light or dark: that of the device until someone chooses; public/scheme.js applies it before anything is drawn. */
export function useScheme(): [Scheme, (scheme: Scheme) => void] {
  const [scheme, setScheme] = useState(() => schemes.find((each) => each === localStorage.getItem(KEY)) ?? 'system')
  return [
    scheme,
    (next) => {
      setScheme(next)
      if (next === 'system') {
        localStorage.removeItem(KEY)
        delete document.documentElement.dataset.scheme
      } else {
        localStorage.setItem(KEY, next)
        document.documentElement.dataset.scheme = next
      }
    },
  ]
}
