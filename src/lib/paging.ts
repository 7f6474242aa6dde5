import { z } from 'zod'
import type { JsonText } from './json-text.ts'

/** A whole number in a query string. Decimal digits only, so that `1e2`, `0x10`, ` 5` and lists are refused. */
const digits = (min: number, max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, wholeNumber(min, max))
    .transform(Number)
    .refine((value) => value >= min && value <= max, wholeNumber(min, max))
    .default(fallback)
    // The OpenAPI document shows the number, not its text.
    .meta({ type: 'integer', minimum: min, maximum: max, description: `Defaults to ${fallback}.` })

const wholeNumber = (min: number, max: number) => `must be a whole number from ${min} to ${max}`

/** Times the largest limit it still fits into PostgreSQL's bigint, which OFFSET takes. */
const PAGE_MAX = 100_000_000

export const PAGE_LIMIT_MAX = 100

/** Query parameter of every list: how many items one page has at most. */
export const pageLimit = digits(1, PAGE_LIMIT_MAX, 20)

/** Query parameters of every list with a total. `columns` are the sort columns, the default first. */
export const pageQuery = <const Columns extends readonly [string, ...string[]]>(columns: Columns) => ({
  page: digits(1, PAGE_MAX, 1),
  limit: pageLimit,
  sortBy: z
    .enum(columns)
    .default(columns[0] as Columns[number])
    .describe('Ties are sorted by ID.'),
  sortDir: z.enum(['asc', 'desc']).default('asc').describe('Ascending or descending.'),
})

/** One page of a list with a total. The route adds `page` and `limit` from the request. */
export interface Page<Item> {
  items: Item[]
  /** The number of items on all pages. */
  total: number
}

/** A page whose items the database has written as JSON. */
export interface JsonPage<Item> {
  items: JsonText<Item[]>
  total: number
}

/** One page of a list that is read by cursors. The route adds `limit` from the request. */
export interface CursorPage<Item> {
  items: Item[]
  /** Null on the last page. */
  nextCursor: string | null
}
