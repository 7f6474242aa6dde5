export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** Three significant digits, with separators: 12,345 · 123 · 1.23 */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value.toPrecision(value >= 0.1 ? 3 : 2).replace(/\.0+$/, '')
}

/** A ratio with two digits; `–` without one of the values. */
export function ratio(value: number | undefined, base: number | undefined): string {
  if (value === undefined || base === undefined) return '–'
  const quotient = value / base
  return quotient >= 10 ? quotient.toFixed(0) : quotient.toFixed(2)
}
