import { addDistributions, type Distribution } from '../lib/histogram.ts'
import { catalogue, definitionOf, type MetricName } from './catalogue.ts'

export type Labels = Record<string, string>

/** One number, or one distribution, of a metric. */
export interface Sample {
  labels?: Labels
  value: number | Distribution
}

/** What one process measures. JSON keeps all of it. A metric that is unknown for now is left out. */
export type Samples = Partial<Record<MetricName, Sample[]>>

export const metricNames = Object.keys(catalogue) as MetricName[]

/** The samples of several processes as those of one. */
export function together(all: Samples[]): Samples {
  const sums: Samples = {}
  for (const name of metricNames) {
    const samples = all.flatMap((each) => each[name] ?? [])
    if (samples.length > 0) sums[name] = combine(samples, definitionOf(name).together === 'max')
  }
  return sums
}

function combine(samples: Sample[], isMax: boolean): Sample[] {
  const bySeries = Map.groupBy(samples, ({ labels }) => JSON.stringify(labels))
  return Array.from(bySeries.values(), (same) => {
    const value = same.map((each) => each.value).reduce((a, b) => combineValues(a, b, isMax))
    return { ...same[0], value }
  })
}

function combineValues(a: Sample['value'], b: Sample['value'], isMax: boolean): Sample['value'] {
  if (typeof a === 'object' && typeof b === 'object') return addDistributions(a, b)
  return isMax ? Math.max(Number(a), Number(b)) : Number(a) + Number(b)
}
