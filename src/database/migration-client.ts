import type pg from 'pg'
import { MIGRATION_SETTINGS, migrationSession, settingsSql, type Target } from './connection-settings.ts'
import { openClient } from './writable-host.ts'

/** Opens a connection as the owner, without limits: for migrations, and for what looks at the whole database. */
export async function openMigrationClient(target: Target): Promise<pg.Client> {
  const client = await openClient(target, migrationSession(target))
  await client.query(settingsSql(MIGRATION_SETTINGS, { isLocal: false }))
  return client
}
