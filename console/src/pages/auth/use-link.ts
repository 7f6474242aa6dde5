import { useEffect, useState } from 'react'
import { isProblem } from '../../api/problems.ts'

type LinkState = 'missing' | 'checking' | 'usable' | 'dead'

/**
 * The link that opened the page. A dead one is told at once; without a clear answer it counts as usable, because using it
 * will tell. Only ever a button uses it: programs that check emails open their links.
 */
export function useLink(
  token: string,
  check: (link: { token: string }) => Promise<unknown>,
): {
  state: LinkState
  token: string
  die: () => void
} {
  const [state, setState] = useState<LinkState>(token ? 'checking' : 'missing')
  // biome-ignore lint/correctness/useExhaustiveDependencies: Once, for the link that opened the page.
  useEffect(() => {
    if (!token) return
    check({ token }).then(
      () => setState('usable'),
      (error: unknown) => setState(isDead(error) ? 'dead' : 'usable'),
    )
  }, [])
  return { state, token, die: () => setState('dead') }
}

export const isDead = (error: unknown): boolean =>
  isProblem(error) && (error.code === 'link_invalid' || error.code === 'validation_failed')
