import type { Product } from '../servers/services.ts'
import { short } from './numbers.ts'
import type { Report, ReportRow } from './report.ts'

const WIDTH = 820
const LEFT = 250
const RIGHT = 90
const BAR = 9
const GAP = 16
const TOP = 56
const products: Product[] = ['limit', 'tenantry', 'betterAuth']
const names: Record<Product, string> = { limit: 'limit', tenantry: 'Tenantry', betterAuth: 'better-auth' }

/** Readers see it on light and on dark pages: texts take the color of the reader's scheme. */
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .quiet { fill: #57606a } .limit { fill: #8c959f } .tenantry { fill: #1f7a5c } .betterAuth { fill: #bf8700 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9198a1 } .limit { fill: #6e7681 } .tenantry { fill: #3fb68b } .betterAuth { fill: #d29922 }
  }`

/** Requests a second of each product, each row in proportion to its fastest product. */
export function toChart({ rows }: Report): string {
  const heights = rows.map((row) => present(row).length * BAR + GAP)
  const height = TOP + heights.reduce((sum, value) => sum + value, 0)
  let y = TOP
  const drawn = rows.map((row, index) => {
    const group = drawRow(row, y)
    y += heights[index] as number
    return group
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Requests a second">
<style>${STYLE}
</style>
<text x="0" y="16">Requests a second; each bar in proportion to the fastest of its request</text>
${legend()}
${drawn.join('\n')}
</svg>
`
}

const present = ({ measured }: ReportRow) => products.filter((product) => measured[product])

function drawRow(row: ReportRow, y: number): string {
  const fastest = Math.max(...present(row).map((product) => row.measured[product]?.perSecond ?? 0))
  const bars = present(row).map((product, index) => {
    const { perSecond } = row.measured[product] ?? { perSecond: 0 }
    const width = Math.max(1, ((WIDTH - LEFT - RIGHT) * perSecond) / fastest)
    const top = y + index * BAR
    return `<rect class="${product}" x="${LEFT}" y="${top}" width="${width.toFixed(1)}" height="${BAR - 2}" rx="1"/>
<text class="quiet" x="${(LEFT + width + 5).toFixed(1)}" y="${top + BAR - 2}" font-size="10" style="font-size:10px">${short(perSecond)}</text>`
  })
  const middle = y + (present(row).length * BAR) / 2 + 3
  return `<text x="${LEFT - 8}" y="${middle}" text-anchor="end">${escaped(row.title)}</text>\n${bars.join('\n')}`
}

function legend(): string {
  return products
    .map((product, index) => {
      const x = LEFT + index * 110
      return `<rect class="${product}" x="${x}" y="30" width="12" height="8" rx="1"/><text x="${x + 18}" y="38">${names[product]}</text>`
    })
    .join('\n')
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
