import type { Logger } from 'pino'
import { ConfigError } from '../config/config-error.ts'
import { EmbeddedError } from '../database/embedded/embedded.ts'
import { DatabaseMissingError } from '../database/locate.ts'
import { MigrationError } from '../database/migrate.ts'

/** Errors that the operator can solve: a message is enough. */
const OPERATOR_ERRORS = [ConfigError, EmbeddedError, DatabaseMissingError, MigrationError]
/**
 * Codes of errors that the operator can solve: the address is in use, not allowed or unknown; the disk is full, here or at
 * the database (53100).
 */
const OPERATOR_ERROR_CODES = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND', 'EAI_AGAIN', 'ENOSPC', '53100']

/**
 * Ends the process with exit code 1 after an uncaught error, because the state of the process is unknown. The error is
 * written to the log, which leaves out values of the database; Node's own report would print them.
 */
export function exitOnUncaughtErrors(log: Logger): void {
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'ending after an uncaught error')
    process.exit(1)
  })
}

export function isOperatorError(error: unknown): boolean {
  const { code = '', cause } = error as NodeJS.ErrnoException
  const codes = [code, (cause as NodeJS.ErrnoException | undefined)?.code ?? '']
  return (
    OPERATOR_ERRORS.some((type) => error instanceof type) || codes.some((each) => OPERATOR_ERROR_CODES.includes(each))
  )
}

/**
 * Prints the message of an error that the operator can solve, any other error with its stack, and exits with code 1.
 */
export function exitWith(error: unknown): never {
  console.error(isOperatorError(error) ? (error as Error).message : error)
  process.exit(1)
}
