import { useSyncExternalStore } from 'react'

/** What concerns every page at once: no connection, or more requests than are allowed. */
interface Weather {
  offline: boolean
  /** When requests are answered again, as `Date.now()` counts. */
  waitUntil: number
}

let weather: Weather = { offline: !navigator.onLine, waitUntil: 0 }
const listeners = new Set<() => void>()

function change(next: Partial<Weather>): void {
  weather = { ...weather, ...next }
  for (const listener of listeners) listener()
}

addEventListener('online', () => change({ offline: false }))
addEventListener('offline', () => change({ offline: true }))

/** Sees every answer before the client does, which waits and asks again by itself where the wait is short. */
export function reportAnswer(response: Response): void {
  if (weather.offline) change({ offline: false })
  const seconds = Number(response.headers.get('retry-after'))
  if (response.status === 429 && seconds > 0) void reportLimit(response.clone(), Date.now() + seconds * 1000)
}

/** Other limits, such as those of attempts and of emails, stop what was asked for and nothing else. */
async function reportLimit(response: Response, waitUntil: number): Promise<void> {
  const { code } = await response.json().catch(() => ({}))
  if (code === 'rate_limited') change({ waitUntil })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useWeather = (): Weather => useSyncExternalStore(subscribe, () => weather)
