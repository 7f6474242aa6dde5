import type { Logger } from 'pino'
import { ConfigError } from '../config/config.ts'
import { EmbeddedError } from '../database/embedded/embedded.ts'
import { DatabaseMissingError } from '../database/locate.ts'
import { MigrationError } from '../database/migrate.ts'

const forPeople = [ConfigError, EmbeddedError, DatabaseMissingError, MigrationError]
const forPeopleToo = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND', 'EAI_AGAIN']

/**
 * What nobody caught ends the process, because nobody knows what it left half done; but it is said in the log, where an
 * error keeps its secrets: Node's own words would quote whatever the database put into it.
 */
export function endOnFaults(log: Logger): void {
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'ending after a fault that nobody caught')
    process.exit(1)
  })
}

/** What the operator can mend is said in plain lines; anything else is a bug and shows where it happened. */
export function exitWith(error: unknown): never {
  const { code = '', message } = error as NodeJS.ErrnoException
  const isForPeople = forPeople.some((kind) => error instanceof kind) || forPeopleToo.includes(code)
  console.error(isForPeople ? message : error)
  process.exit(1)
}
