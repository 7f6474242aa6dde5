/**
 * Columns whose values are sealed under APP_SECRET (src/lib/sealed.ts), each in a table with an `id`. The worker may read and
 * update them, to seal them anew after the secret was replaced.
 */
export const sealedColumns = [{ table: 'second_factors', column: 'secret' }] as const

/** How many values each key has sealed: rows of `kid`, in hexadecimal digits, and `count`. */
export const COUNT_SEALED = `select encode(substring(value from 1 for 32), 'hex') as kid, count(*)::int as count
  from (${sealedColumns.map(({ table, column }) => `select ${column} as value from ${table}`).join(' union all ')}) sealed
  where value is not null group by 1 order by 1`
