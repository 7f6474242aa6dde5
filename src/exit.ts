import { ConfigError } from './config.ts'
import { EmbeddedError } from './database/embedded.ts'
import { DatabaseMissingError } from './database/locate.ts'
import { MigrationError } from './database/migrate.ts'

const forPeople = [ConfigError, EmbeddedError, DatabaseMissingError, MigrationError]
const forPeopleToo = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND', 'EAI_AGAIN']

/** What the operator can mend is said in plain lines; anything else is a bug and shows where it happened. */
export function exitWith(error: unknown): never {
  const { code = '', message } = error as NodeJS.ErrnoException
  const isForPeople = forPeople.some((kind) => error instanceof kind) || forPeopleToo.includes(code)
  console.error(isForPeople ? message : error)
  process.exit(1)
}
