import type { TestDatabase } from '../test/support/database.ts'

/**
 * Copies the contents of the database, and returns a function that restores them. Triggers and foreign keys are off
 * while it does: the rows passed them when they were written.
 */
export async function takeSnapshot(db: TestDatabase): Promise<() => Promise<void>> {
  const tables = await db.query<{ name: string; columns: string }>(`
    select relname as name, string_agg(quote_ident(attname), ', ' order by attnum) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_migrations'
    group by relname order by relname`)
  await db.query('create schema snapshot')
  for (const { name } of tables) await db.query(`create table snapshot.${name} as table public.${name}`)

  const names = tables.map(({ name }) => `public.${name}`).join(', ')
  const inserts = tables.map(
    ({ name, columns }) =>
      `insert into public.${name} (${columns}) overriding system value select ${columns} from snapshot.${name}`,
  )
  const restore = [
    'begin',
    `set local session_replication_role = replica`,
    ...tables.map(({ name }) => `delete from public.${name}`),
    ...inserts,
    'commit',
  ].join(';\n')
  const truncate = `truncate ${names} cascade`
  let restores = 0
  return async () => {
    // Deleted rows stay in the files until a truncate, which is slow because it creates new files: every 25th time.
    if (++restores % 25 === 0) await db.query(truncate)
    await db.query(restore)
  }
}
