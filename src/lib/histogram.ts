/** The values observed so far: how many up to each bound, and their sum. JSON keeps all of it. */
export interface Distribution {
  readonly bounds: readonly number[]
  /** One for each bound, of the values above the bound before it; the last one counts values above all bounds. */
  readonly counts: readonly number[]
  readonly sum: number
}

/** Seconds of what a request or a worker does: from a read in memory to the longest wait that is allowed. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15]

/** Counts values by upper bounds. An observation changes two numbers and allocates nothing. */
export class Histogram implements Distribution {
  readonly bounds: readonly number[]
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[] = SECONDS) {
    this.bounds = bounds
    this.counts = new Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    let index = 0
    while (index < this.bounds.length && value > (this.bounds[index] as number)) index++
    this.counts[index] = (this.counts[index] as number) + 1
    this.sum += value
  }
}

/** The values of both together. The bounds are the same. */
export function addDistributions(a: Distribution, b: Distribution): Distribution {
  const counts = a.counts.map((count, index) => count + (b.counts[index] ?? 0))
  return { bounds: a.bounds, counts, sum: a.sum + b.sum }
}
