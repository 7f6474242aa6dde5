import { type DestinationStream, type Logger, pino } from 'pino'
import { LogOutput } from './log-output.ts'

/**
 * Writes JSON lines to standard output, or to `destination`. Errors are logged without parameters and details, which
 * can contain secrets and values of the database.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service: 'tenantry' },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describe },
  }
  if (destination) return pino(options, destination)
  const output = new LogOutput()
  const log = pino(options, output)
  output.onRecovered = (interruption) => log.error(interruption, 'log lines were dropped: they could not be written')
  return log
}

function describe(error: Error & { code?: string; constraint?: string }): Record<string, unknown> {
  const { name, message, code, constraint, stack, cause } = error
  const fields = { name, message, code, constraint, stack, ...(cause instanceof Error && { cause: describe(cause) }) }
  return QUOTES_VALUES.test(code ?? '') ? { ...fields, message: undefined, stack: withoutMessage(stack) } : fields
}

/** SQLSTATEs of class 22, data exceptions: their messages quote the value that the server refused. */
const QUOTES_VALUES = /^22...$/

/** Only the frames of a stack, which begins with the message. */
const withoutMessage = (stack = '') => stack.slice(stack.indexOf('\n    at ') + 1)
