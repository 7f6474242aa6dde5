import type { Measured } from '../measure.ts'
import type { Product } from '../servers/services.ts'
import { ratio, short } from './numbers.ts'
import type { Report, ReportRow } from './report.ts'

const names: Record<Product, string> = { limit: 'limit', tenantry: 'Tenantry', betterAuth: 'better-auth' }

/** The report as Markdown. */
export function toMarkdown(report: Report): string {
  return [
    introduction(report),
    mainTable(report.rows),
    'Requests a second, with the processor time of service + PostgreSQL for each in µs. CPU of the limit: the share of',
    "Tenantry's processor time that the limit needs.",
    '',
    latencyTable(report.rows),
    'Milliseconds: half of the requests are faster than the first number, 99 % than the second.',
    '',
    variantTable(report),
    processTable(report),
  ].join('\n')
}

function introduction({
  date,
  commit,
  machine,
  versions,
  postgresSettings,
  times,
  accounts,
  companies,
}: Report): string {
  const settings = Object.entries(postgresSettings).map(([name, value]) => `${name} ${value}`)
  const text =
    `${date}, commit ${commit}: ${machine.processor}, ${machine.cores} cores, ${machine.memoryGib} GiB, ${machine.system}; ` +
    `Node ${versions.node}, PostgreSQL ${versions.postgres} (${settings.join(', ')}), better-auth ${versions['better-auth']}. ` +
    `${accounts.toLocaleString('en')} accounts, ${companies.toLocaleString('en')} companies; medians of ${times.rounds} ` +
    `rounds of ${times.seconds} s.`
  return `${wrapped(text)}\n`
}

function mainTable(rows: readonly ReportRow[]): string {
  const head = ['request', 'limit', 'Tenantry', 'of the limit', 'CPU of the limit', 'better-auth', 'times better-auth']
  return table(
    head,
    rows.map(({ title, measured: { limit, tenantry, betterAuth } }) => [
      title,
      rate(limit),
      rate(tenantry),
      ratio(tenantry?.perSecond, limit?.perSecond),
      ratio(cpuOf(limit), cpuOf(tenantry)),
      rate(betterAuth),
      betterAuth ? `${ratio(tenantry?.perSecond, betterAuth.perSecond)}×` : '–',
    ]),
  )
}

const cpuOf = (measured: Measured | undefined) => measured?.cpu && measured.cpu.service + measured.cpu.postgres

function rate(measured: Measured | undefined): string {
  if (!measured) return '–'
  const { perSecond, cpu } = measured
  return cpu ? `${short(perSecond)} (${short(cpu.service)} + ${short(cpu.postgres)})` : short(perSecond)
}

function latencyTable(rows: readonly ReportRow[]): string {
  const times = (measured: Measured | undefined) => (measured ? `${short(measured.p50)} · ${short(measured.p99)}` : '–')
  return table(
    ['p50 · p99', 'limit', 'Tenantry', 'better-auth'],
    rows.map(({ title, measured: { limit, tenantry, betterAuth } }) => [
      title,
      ...[limit, tenantry, betterAuth].map(times),
    ]),
  )
}

const variantTable = ({ variants }: Report) =>
  table(
    ['me of Tenantry', 'a second (µs)'],
    variants.map(({ title, measured }) => [title, rate(measured)]),
  )

const processTable = ({ processes }: Report) =>
  table(
    ['process', 'start: CPU', 'start: time', 'memory, idle', 'memory, after load'],
    Object.entries(processes).map(([product, { boot, memory }]) => [
      names[product as Product],
      `${Math.round(boot.cpuMs)} ms`,
      `${Math.round(boot.ms)} ms`,
      `${memory.idle} MiB`,
      `${memory.afterLoad} MiB`,
    ]),
  )

/** The first column begins its cells, the others end them; wide enough to be read without rendering. */
function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0)))
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)
  const line = (cells: string[]) => `| ${cells.map(padded).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line), ''].join('\n')
}

function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) as string
    if (last.length + word.length >= 120) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join('\n')
}
