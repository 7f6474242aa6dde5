import type pg from 'pg'

interface Definition {
  name: string
  table: string
  definition: string
}

/**
 * Runs `work`, which inserts many rows into these tables, without their indexes, foreign keys and triggers, and makes
 * these again afterwards: for each row they cost ten times as much as for all rows at once. Constraints that are made
 * again check every row. What a trigger would do is left to `work`. All in one transaction, which locks the tables for everyone else.
 */
export async function inBulk<Result>(
  client: pg.Client,
  tables: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('begin')
  try {
    await client.query(`set local maintenance_work_mem = '1GB'`)
    await client.query(`set local work_mem = '256MB'`)
    const constraints = await findConstraints(client, tables)
    const indexes = await findIndexes(client, tables)
    for (const { name, table } of constraints) await client.query(`alter table ${table} drop constraint ${name}`)
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    for (const table of tables) await client.query(`alter table ${table} disable trigger user`)
    const result = await work()
    for (const table of tables) await client.query(`alter table ${table} enable trigger user`)
    for (const table of tables) await client.query(`analyze ${table}`)
    for (const { definition } of indexes) await client.query(definition)
    for (const { name, table, definition } of constraints)
      await client.query(`alter table ${table} add constraint ${name} ${definition}`)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Unique constraints to which no foreign key refers, and foreign keys. */
async function findConstraints(client: pg.Client, tables: readonly string[]): Promise<Definition[]> {
  const { rows } = await client.query<Definition>(
    `select quote_ident(conname) as name, conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition
     from pg_constraint as own where conrelid = any ($1::regclass[]) and (contype = 'f' or contype = 'u'
       and not exists (select from pg_constraint as other where other.contype = 'f' and other.conindid = own.conindid))
     order by contype desc, conname`,
    [tables],
  )
  return rows
}

/** Those that no constraint has: a primary key stays, because rows that are inserted in its order cost it little. */
async function findIndexes(client: pg.Client, tables: readonly string[]): Promise<Definition[]> {
  const { rows } = await client.query<Definition>(
    `select indexrelid::regclass::text as name, indrelid::regclass::text as table, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = any ($1::regclass[])
       and not exists (select from pg_constraint where conindid = indexrelid) order by 1`,
    [tables],
  )
  return rows
}
