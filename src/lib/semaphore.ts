export type Semaphore = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Runs at most `count` pieces of work at once; the others wait and start in the order in which they came. */
export function createSemaphore(count: number): Semaphore {
  const waiting: (() => void)[] = []
  let free = count
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The slot passes to the next one without becoming free in between, so that no newcomer overtakes it.
      if (next) next()
      else free++
    }
  }
}
