import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { toChart } from './chart.ts'
import type { Report } from './report.ts'
import { toMarkdown } from './table.ts'

const docs = path.join(import.meta.dirname, '../../docs')
const PAGE = path.join(docs, 'performance.md')
const LINKS = '![Requests a second of each product](performance.svg)\n\nThe same as [JSON](performance.json).'

/** Writes the report into docs/performance.md, between its marks, and beside it as a chart and as JSON. */
export function writeDocuments(report: Report): void {
  writeFileSync(path.join(docs, 'performance.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(path.join(docs, 'performance.svg'), toChart(report))
  writeFileSync(PAGE, between(readFileSync(PAGE, 'utf8'), 'results', `${LINKS}\n\n${toMarkdown(report)}`))
}

/** Replaces what stands between `<!-- name -->` and `<!-- end of name -->`. */
export function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)]
  if (start < 0 || stop < start) throw new Error(`docs/performance.md lacks its marks ${begin} and ${end}`)
  return `${page.slice(0, start + begin.length)}\n${text}\n${page.slice(stop)}`
}
