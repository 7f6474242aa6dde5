import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Page } from '../lib/paging.ts'

// The type that Kysely itself gives to a query that has selected nothing yet.
// biome-ignore lint/complexity/noBannedTypes: `{}` is part of Kysely's own signature.
type Unselected<Schema, Tables extends keyof Schema> = SelectQueryBuilder<Schema, Tables, {}>

/** A column of every row of a page. */
type Total = RawBuilder<number>

/**
 * Reads one page of a list and the total in one statement, which has a second one only when the page is beyond the end.
 * `matching` has the conditions of the list; `complete` gets it bounded to the page, and adds columns, among them the total
 * as `total`, and an order that ends with a unique column.
 */
export async function findPage<Schema, Tables extends keyof Schema, Item>(
  matching: Unselected<Schema, Tables>,
  { page, limit }: { page: number; limit: number },
  complete: (bounded: Unselected<Schema, Tables>, total: Total) => { execute(): Promise<(Item & { total: number })[]> },
): Promise<Page<Item>> {
  const count = matching.select(sql<number>`count(*)`.as('total')).$castTo<{ total: number }>()
  const bounded = matching.limit(limit).offset((page - 1) * limit)
  const rows = await complete(bounded, sql`(${count})`).execute()
  const [first] = rows
  if (!first) return { items: [], total: page === 1 ? 0 : (await count.executeTakeFirstOrThrow()).total }
  return { items: rows.map(({ total: _, ...item }) => item as Item), total: first.total }
}
