import { type SelectQueryBuilder, sql } from 'kysely'
import type { Page } from '../lib/paging.ts'

// The type that Kysely itself gives to a query that has selected nothing yet.
// biome-ignore lint/complexity/noBannedTypes: `{}` is part of Kysely's own signature.
type Unselected<Schema, Tables extends keyof Schema> = SelectQueryBuilder<Schema, Tables, {}>

/**
 * Reads one page of a list and the total, as two statements that are sent together. `matching` has the conditions of
 * the list; `complete` gets it bounded to the page, and adds columns and an order that ends with a unique column.
 */
export async function findPage<Schema, Tables extends keyof Schema, Item>(
  matching: Unselected<Schema, Tables>,
  { page, limit }: { page: number; limit: number },
  complete: (bounded: Unselected<Schema, Tables>) => { execute(): Promise<Item[]> },
): Promise<Page<Item>> {
  // Few limits are in use, and with one in its text the statement has a plan for it.
  const bounded = matching.limit(sql.lit(limit)).offset((page - 1) * limit)
  const [items, { total }] = await Promise.all([
    complete(bounded).execute(),
    matching.select(sql<number>`count(*)`.as('total')).$castTo<{ total: number }>().executeTakeFirstOrThrow(),
  ])
  return { items, total }
}
