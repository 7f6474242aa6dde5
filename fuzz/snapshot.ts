import type { TestDatabase } from '../test/support/database.ts'

/**
 * Keeps what is in the database now, and gives back a function that brings it back: the same world for every batch.
 * The rows go in as they were, past triggers and foreign keys, which saw them when they were made.
 */
export async function takeSnapshot(db: TestDatabase): Promise<() => Promise<void>> {
  const tables = await db.query<{ name: string; columns: string }>(`
    select relname as name, string_agg(quote_ident(attname), ', ' order by attnum) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migrations'
    group by relname order by relname`)
  await db.query('create schema kept')
  for (const { name } of tables) await db.query(`create table kept.${name} as table public.${name}`)

  const names = tables.map(({ name }) => `public.${name}`).join(', ')
  const inserts = tables.map(
    ({ name, columns }) =>
      `insert into public.${name} (${columns}) overriding system value select ${columns} from kept.${name}`,
  )
  const restore = [
    'begin',
    `set local session_replication_role = replica`,
    ...tables.map(({ name }) => `delete from public.${name}`),
    ...inserts,
    'commit',
  ].join(';\n')
  const emptied = `truncate ${names} cascade`
  let turns = 0
  return async () => {
    // What was deleted stays in the files for a while, and a file is slow to make anew: so seldom.
    if (++turns % 25 === 0) await db.query(emptied)
    await db.query(restore)
  }
}
