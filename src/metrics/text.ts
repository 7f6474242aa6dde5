import type { Distribution } from '../lib/histogram.ts'
import { definitionOf, type MetricName } from './catalogue.ts'
import { type Labels, metricNames, type Sample, type Samples } from './samples.ts'

/** Prometheus' text format, which every version of it and its relatives read. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function textOf(samples: Samples): string {
  return metricNames.map((name) => familyOf(name, samples[name] ?? [])).join('')
}

/** Nothing for a metric without samples: a name without a value would mean that there is none. */
function familyOf(name: MetricName, samples: Sample[]): string {
  if (samples.length === 0) return ''
  const { type, help } = definitionOf(name)
  const lines = samples.flatMap(({ labels = {}, value }) =>
    typeof value === 'object' ? distributionLines(name, labels, value) : [line(name, labels, value)],
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
}

/** Buckets are cumulative: each counts all values up to its bound. */
function distributionLines(name: string, labels: Labels, { bounds, counts, sum }: Distribution): string[] {
  let total = 0
  const buckets = counts.map((count, index) => {
    total += count
    return line(`${name}_bucket`, { ...labels, le: String(bounds[index] ?? '+Inf') }, total)
  })
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, total)]
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
}

const escaped = (text: string) => text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')
