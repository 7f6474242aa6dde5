import pg from 'pg'
import { FIXED_SETTINGS } from './connection-settings.ts'

/**
 * Makes the fixed settings the defaults of the service's role in this database. Each connection makes them for itself;
 * as defaults they also hold where a pooler has reset a connection or gives a transaction another one.
 */
export async function ensureRoleDefaults(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ user: string; database: string; stored: string[] }>(`
    select quote_ident(session_user) as user, quote_ident(current_database()) as database,
      coalesce((select setconfig from pg_db_role_setting
        where setdatabase = (select oid from pg_database where datname = current_database())
          and setrole = (select oid from pg_roles where rolname = session_user)), '{}') as stored`)
  const { user, database, stored } = rows[0] as (typeof rows)[0]
  const missing = Object.entries(FIXED_SETTINGS).filter(([name, value]) => !stored.includes(`${name}=${value}`))
  for (const [name, value] of missing)
    await client.query(`alter role ${user} in database ${database} set ${name} = ${pg.escapeLiteral(value)}`)
}
