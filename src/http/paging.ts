import { z } from 'zod'

/** A number in a query string: plain decimal digits, so that `1e2`, `0x10`, ` 5` and lists are refused. */
const digits = (min: number, max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, wholeNumber(min, max))
    .transform(Number)
    .refine((value) => value >= min && value <= max, wholeNumber(min, max))
    .default(fallback)
    // For readers of the documentation it is the number that it means.
    .meta({ type: 'integer', minimum: min, maximum: max, description: `Defaults to ${fallback}.` })

const wholeNumber = (min: number, max: number) => `must be a whole number from ${min} to ${max}`

const PAGE_MAX = 100_000_000

/** Query parameter of every list: how many items a page has. */
export const pageLimit = digits(1, 100, 20)

/** Query parameters of every counted list; `columns` are what it can be sorted by. */
export const pageQuery = <const Columns extends readonly [string, ...string[]]>(columns: Columns) => ({
  page: digits(1, PAGE_MAX, 1),
  limit: pageLimit,
  sortBy: z
    .enum(columns)
    .default(columns[0] as Columns[number])
    .describe('Ties are sorted by ID.'),
  sortDir: z.enum(['asc', 'desc']).default('asc').describe('Ascending or descending.'),
})

/** What a counted list's rule gives back; page and limit are added from the request. */
export interface Page<Item> {
  items: Item[]
  total: number
}

/** What a walked list's rule gives back; the limit is added from the request. */
export interface CursorPage<Item> {
  items: Item[]
  nextCursor: string | null
}
