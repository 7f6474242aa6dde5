import type { Logger } from 'pino'
import { type Config, readConfig } from '../config/config.ts'
import { findOutdatedSchema } from '../database/inspect.ts'
import { type Located, locateDatabase } from '../database/locate.ts'
import { createDeps, type Deps } from '../deps.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { createOperatorLog } from './operator-log.ts'

/** Runs `work` with the database of the settings, which may be the embedded one. */
export async function withDatabase<Result>(
  work: (located: Located, config: Config, log: Logger) => Promise<Result>,
): Promise<Result> {
  const log = createOperatorLog()
  const config = readConfig(process.env)
  const located = await locateDatabase(config, log)
  try {
    return await work(located, config, log)
  } finally {
    await located.stop()
  }
}

/** The same with what the rules of the API need. Refused unless the schema is the one of this version. */
export async function withService<Result>(work: (deps: Deps & { log: Logger }) => Promise<Result>): Promise<Result> {
  return withDatabase(async ({ target, migrationTarget }, config, log) => {
    const outdated = await findOutdatedSchema(migrationTarget)
    if (outdated) throw new OperatorError('schema_outdated', outdated)
    const deps = await createDeps(config, target)
    try {
      return await work({ ...deps, log })
    } finally {
      await deps.database.close()
    }
  })
}
