/** What may grow, and by how much within the half of a run that is looked at. */
export interface Bound {
  name: string
  /** The larger of the two counts. */
  absolute: number
  /** Of the mean. */
  relative: number
}

export interface Point {
  atMs: number
  value: number
}

/** How much a straight line through the points, by least squares, rises from the first to the last. */
export function growthOf(points: readonly Point[]): number {
  const atMs = meanOf(points.map((point) => point.atMs))
  const value = meanOf(points.map((point) => point.value))
  const squares = sum(points.map((point) => (point.atMs - atMs) ** 2))
  if (squares === 0) return 0
  const slope = sum(points.map((point) => (point.atMs - atMs) * (point.value - value))) / squares
  return slope * ((points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0))
}

/** One sentence when it grows by more than it may; undefined: it does not. */
export function problemOf({ name, absolute, relative }: Bound, points: readonly Point[]): string | undefined {
  const growth = growthOf(points)
  const allowed = Math.max(absolute, relative * meanOf(points.map(({ value }) => value)))
  return growth > allowed
    ? `${name} grew by ${round(growth)} in the second half, and may by ${round(allowed)}`
    : undefined
}

/** Rows and bytes of a table with its indexes. */
export interface TableSize {
  rows: number
  bytes: number
}

/** A few pages for each index, and what is dead until the next vacuum. */
const TABLE_BYTES = 1024 * 1024
const TABLE_FACTOR = 1.25

/** A table may grow as its rows do. */
export function bloatOf(name: string, before: TableSize, after: TableSize): string | undefined {
  const allowed = before.bytes * Math.max(1, after.rows / Math.max(1, before.rows)) * TABLE_FACTOR + TABLE_BYTES
  const [from, to] = [`${before.bytes} bytes for ${before.rows} rows`, `${after.bytes} for ${after.rows}`]
  return after.bytes > allowed ? `${name} is bloated: from ${from} to ${to}` : undefined
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const meanOf = (values: readonly number[]) => sum(values) / Math.max(1, values.length)
const round = (value: number) => Math.round(value * 10) / 10
