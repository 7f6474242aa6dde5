import { type DestinationStream, type Logger, pino } from 'pino'

/** Logs as JSON lines. Of an error only what can't hold a secret or a value of the database: no parameters, no details. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service: 'tenantry' },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describe },
  }
  return destination ? pino(options, destination) : pino(options)
}

function describe(error: Error & { code?: string; constraint?: string }): Record<string, unknown> {
  const { name, message, code, constraint, stack, cause } = error
  const known = { name, message, code, constraint, stack, ...(cause instanceof Error && { cause: describe(cause) }) }
  return QUOTES_VALUES.test(code ?? '') ? { ...known, message: undefined, stack: placesIn(stack) } : known
}

/** SQLSTATEs of class 22, data exceptions: their messages quote what the server could not take. */
const QUOTES_VALUES = /^22...$/

/** A stack begins with the message. */
const placesIn = (stack = '') => stack.slice(stack.indexOf('\n    at ') + 1)
