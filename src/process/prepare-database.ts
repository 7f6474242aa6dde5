import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Target } from '../database/connection-settings.ts'
import { DatabaseMissingError, type Located, locateDatabase } from '../database/locate.ts'
import { migrate } from '../database/migrate.ts'
import { readBuild } from './build.ts'

/** A database that this version of the service can work on. */
export interface PreparedDatabase {
  target: Target
  /** The version of the embedded PostgreSQL; undefined: the database of DATABASE_URL is used. */
  embeddedVersion: string | undefined
  /** Stops the embedded PostgreSQL. Does nothing to the database of DATABASE_URL. */
  stop(): Promise<void>
}

/** Finds or starts the database, and migrates it. Rejects with an error of exit.ts when the operator can help. */
export async function prepareDatabase(config: Config, log: Logger): Promise<PreparedDatabase> {
  const located = await locateDatabase(config, log)
  try {
    assertOwner(located, config)
    const migrated = await migrate(located.migrationTarget, log)
    log.info({ ...readBuild(), migrated }, 'starting')
  } catch (error) {
    await located.stop()
    throw error
  }
  return { target: located.target, embeddedVersion: located.embedded?.version, stop: () => located.stop() }
}

/** The database would end together with the other service that runs it. */
function assertOwner({ embedded }: Located, { dataDir }: Config): void {
  if (embedded?.owner === false) {
    throw new DatabaseMissingError(
      `Another service uses ${dataDir}: stop it, or set another DATA_DIR or a DATABASE_URL.`,
    )
  }
}
