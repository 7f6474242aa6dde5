import { useEffect, useState } from 'react'

const TICK_MS = 250

/** Seconds left, counted from when `of` appeared; 0 when they are over. */
export function useCountdown(seconds: number, of: unknown): number {
  const [left, setLeft] = useState(seconds)
  // biome-ignore lint/correctness/useExhaustiveDependencies: Each new cause begins anew, even with the same seconds.
  useEffect(() => {
    setLeft(seconds)
    if (seconds <= 0) return
    const end = Date.now() + seconds * 1000
    const timer = setInterval(() => {
      const rest = Math.max(0, Math.ceil((end - Date.now()) / 1000))
      setLeft(rest)
      if (rest === 0) clearInterval(timer)
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [of, seconds])
  return left
}
