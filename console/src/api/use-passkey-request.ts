import { useEffect, useRef } from 'react'

interface PasskeyRequest {
  /** Gives up what was asked for before; undefined: the person has given this one up. */
  ask: <Result>(request: (init: { signal: AbortSignal }) => Promise<Result>) => Promise<Result | undefined>
  giveUp: () => void
}

/**
 * A browser may wait for minutes for a finger or for a phone that is elsewhere. Whoever chooses another way meanwhile, or
 * closes what asked, gives the request up: it would hold the form, and only one can be open in a browser.
 */
export function usePasskeyRequest(): PasskeyRequest {
  const open = useRef<AbortController>(undefined)
  const giveUp = () => open.current?.abort()
  useEffect(() => () => open.current?.abort(), [])
  return {
    giveUp,
    ask: async (request) => {
      giveUp()
      const controller = new AbortController()
      open.current = controller
      const { signal } = controller
      try {
        return await request({ signal })
      } catch (error) {
        if (!signal.aborted) throw error
        return undefined
      }
    },
  }
}
