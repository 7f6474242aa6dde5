import type { Config } from './config/config.ts'
import type { Target } from './database/connection-settings.ts'
import { connect } from './database/connections.ts'
import { Database } from './database/open.ts'
import { createHashing, type HashCost, type Hashing } from './lib/hashing.ts'
import { type Keys, keysFrom } from './lib/keys.ts'

/** Dependencies of use cases that open their own transaction, because they hash or verify a secret before it. */
export interface Deps {
  config: Config
  database: Database
  keys: Keys
  hashing: Hashing
}

/**
 * Makes all of them for one process. Opens no connection yet; end with `database.close()`. `hashCost`: of new hashes, instead of the one that
 * guards passwords.
 */
export async function createDeps(
  config: Config,
  target: Target,
  { hashCost }: { hashCost?: HashCost } = {},
): Promise<Deps> {
  return {
    config,
    database: new Database(target, connect(target, config.workers)),
    keys: keysFrom(config.appSecret, config.appSecretPrevious, config.accessTokens),
    hashing: await createHashing({ processes: config.workers, ...(hashCost && { cost: hashCost }) }),
  }
}
