import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import { LogOutput } from './log-output.ts'

/**
 * Writes JSON lines to standard output, or to `destination`. Errors are logged without parameters and details, which
 * can contain secrets and values of the database.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  return destination ? pino(optionsOf(level), destination) : logTo(new LogOutput(), optionsOf(level))
}

/** The log of one of several processes that write to one standard output. Each line names its process. */
export function createWorkerLog(level: string, worker: number): Logger {
  return logTo(new LogOutput(undefined, { isShared: true }), optionsOf(level, { worker }))
}

const optionsOf = (level: string, bindings: { worker?: number } = {}) => ({
  level,
  base: { service: 'tenantry', ...bindings },
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { err: describe },
})

function logTo(output: LogOutput, options: LoggerOptions): Logger {
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
