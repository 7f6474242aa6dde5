import type { Config } from './config/config.ts'
import type { Database } from './database/open.ts'
import type { Hashing } from './lib/hashing.ts'
import type { Keys } from './lib/keys.ts'

/** What the rules that open their own transactions are given, because they hash or check secrets before. */
export interface Deps {
  config: Config
  database: Database
  keys: Keys
  hashing: Hashing
}
