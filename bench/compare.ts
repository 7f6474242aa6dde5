import { Connection, type Response } from './drive/connection.ts'
import type { Row } from './requests/rows.ts'

/**
 * Throws unless the limit gives the responses of the service: for reads the same bytes, for writes the same fields, and
 * for both the same headers. Otherwise the limit would measure less work.
 */
export async function assertSameResponses(rows: readonly Row[], ports: { limit: number; tenantry: number }) {
  for (const row of rows) {
    const [limit, tenantry] = [await sendOne(row, 'limit', ports.limit), await sendOne(row, 'tenantry', ports.tenantry)]
    if (!limit || !tenantry) continue
    for (const view of [headersOf, limit.isRead ? bodyOf : fieldsOf]) {
      const [own, other] = [view(tenantry.response), view(limit.response)]
      if (own !== other)
        throw new Error(
          `${row.title}: the limit responds\n${differing(other, own)}\nand the service\n${differing(own, other)}`,
        )
    }
  }
}

async function sendOne(row: Row, product: 'limit' | 'tenantry', port: number) {
  const load = await row.loads[product]?.()
  const request = load?.next(0)
  if (!load || !request) return undefined
  const connection = new Connection(port)
  try {
    const response = await connection.send(request.bytes)
    if (response.status !== load.status)
      throw new Error(`${row.title}: ${product} responds ${response.status} ${response.body}`)
    request.read?.(response)
    return { response, isRead: request.bytes.toString('latin1', 0, 3) === 'GET' }
  } finally {
    connection.close()
  }
}

const bodyOf = ({ body }: Response) => body.toString()

/** Their names, and the values that are not different for each response. */
function headersOf({ head }: Response): string {
  const lines = head
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(': ') as [string, string])
  const shown = lines.map(([name, value]) =>
    DIFFERENT.test(name) ? name.toLowerCase() : `${name.toLowerCase()}: ${value}`,
  )
  return shown.sort().join('\n')
}
const DIFFERENT = /^(x-request-id|date|etag|content-length|keep-alive)$/i

function fieldsOf({ body }: Response): string {
  const names = (value: unknown): unknown =>
    typeof value !== 'object' || value === null
      ? typeof value
      : Object.entries(value).map(([name, inner]) => [IS_ID.test(name) ? 'id' : name, names(inner)])
  return JSON.stringify(names(JSON.parse(body.toString())))
}
const IS_ID = /^[0-9a-f-]{36}$/

/** The part of a text from where it differs. */
function differing(text: string, other: string): string {
  let start = 0
  while (text[start] === other[start] && start < text.length) start++
  return `… ${text.slice(Math.max(0, start - 100), start + 200)}`
}
