export interface LimitCount {
  /** Requests that were counted against the limit, those beyond it among them. */
  counted: number
  refused: number
}

/** What the limits of this process have done since its start. */
export const limitCounts = {
  byName: new Map<string, LimitCount>(),
  /** Requests that were counted elsewhere than in Redis, because it could not be reached. */
  fallbacks: 0,
}

export function countLimited(name: string, isExceeded: boolean): void {
  let count = limitCounts.byName.get(name)
  if (!count) {
    count = { counted: 0, refused: 0 }
    limitCounts.byName.set(name, count)
  }
  count.counted++
  if (isExceeded) count.refused++
}
