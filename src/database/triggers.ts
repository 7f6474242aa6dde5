import type pg from 'pg'
import { MigrationError } from './migration-error.ts'

/**
 * Throws a MigrationError when triggers would not fire. They keep references between tables, an owner in every company,
 * counters, and copies that lists are read from. A restore that was interrupted leaves them disabled, and so may a tool that
 * copies a database.
 */
export async function assertTriggersFire(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; command: string | null; user: string; database: string }>(`
    select current_setting('session_replication_role') as name, quote_ident(session_user) as user,
      quote_ident(current_database()) as database, (
        select string_agg(distinct format('ALTER TABLE %s ENABLE TRIGGER ALL;', tgrelid::regclass), ' ')
        from pg_trigger join pg_class on pg_class.oid = tgrelid
        where relnamespace = 'public'::regnamespace and tgenabled in ('D', 'R')) as command`)
  const { name, command, user, database } = rows[0] as (typeof rows)[0]
  if (name === 'replica')
    throw new MigrationError(
      `Triggers do not fire, because session_replication_role is replica for role ${user} or database ${database}. As a ` +
        `superuser: ALTER ROLE ${user} RESET session_replication_role; ALTER ROLE ${user} IN DATABASE ${database} RESET ` +
        `session_replication_role; ALTER DATABASE ${database} RESET session_replication_role;`,
    )
  if (command)
    throw new MigrationError(
      'Triggers are disabled, as by a restore that was interrupted: restore all of the dump, into an empty database. If ' +
        `nothing was written meanwhile, as a superuser in ${database}: ${command}`,
    )
}
