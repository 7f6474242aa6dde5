import type { Sample } from './samples.ts'

const MIB = 1024 * 1024

/** One line for each minute. */
export function courseOf(samples: readonly Sample[], everyMs: number): string {
  const perMinute = Math.max(1, Math.round(60_000 / everyMs))
  const head = ['minute', 'heap MiB', 'resident MiB', 'open files', 'handles', 'connections', 'requests', 'CPU s']
  const rows = samples
    .filter((_sample, index) => index % perMinute === 0 || index === samples.length - 1)
    .map((sample) => [
      (sample.atMs / 60_000).toFixed(1),
      (sample.heapUsed / MIB).toFixed(1),
      (sample.rss / MIB).toFixed(1),
      ...[sample.openFiles, sample.handles, sample.connections, sample.requests].map(String),
      (sample.cpu / 1e6).toFixed(1),
    ])
  return table([head, ...rows])
}

/** At half time and at the end, for tables that have rows. */
export function tablesOf(samples: readonly Sample[]): string {
  const half = samples[Math.floor(samples.length / 2)]
  const head = ['table', 'rows', 'at the end', 'dead', 'at the end', 'KiB', 'at the end']
  const rows = [...(samples.at(-1)?.tables.values() ?? [])]
    .filter((end) => end.rows + end.dead > 0)
    .map((end) => {
      const before = half?.tables.get(end.name) ?? end
      const values = [before.rows, end.rows, before.dead, end.dead, before.bytes / 1024, end.bytes / 1024]
      return [end.name, ...values.map(String)]
    })
  return table([head, ...rows])
}

function table(cells: string[][]): string {
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => `${'-'.repeat(width - 1)}:`).join(' | ')} |`
  const [head = [], ...body] = cells
  return [line(head), rule, ...body.map(line)].join('\n')
}
