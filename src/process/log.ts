import { type DestinationStream, type Logger, pino } from 'pino'

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
  return pino(options, destination ?? openStandardOutput())
}

const BUFFER_BYTES = 8192

/** Writes the lines of one turn of the event loop together, and whatever is left when the process exits. */
function openStandardOutput(): DestinationStream & { flushSync(): void } {
  const output = pino.destination({ dest: 1, sync: true, minLength: BUFFER_BYTES })
  const flushSync = () => output.flushSync()
  let isScheduled = false
  const flush = () => {
    isScheduled = false
    output.flush()
  }
  process.once('exit', flushSync)
  return {
    write(line) {
      output.write(line)
      if (!isScheduled) setImmediate(flush)
      isScheduled = true
    },
    flushSync,
  }
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
