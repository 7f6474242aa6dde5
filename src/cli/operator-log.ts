import type { Logger } from 'pino'
import { createLog } from '../process/log.ts'
import { printable } from './printable.ts'

/** The log of a command: warnings and errors, as plain lines on standard error. */
export function createOperatorLog(): Logger {
  return createLog('warn', {
    write(line: string) {
      const { level, msg, reason } = JSON.parse(line) as { level: number; msg: string; reason?: string }
      console.error(printable(`${level >= 50 ? 'error' : 'warning'}: ${msg}${reason ? ` (${reason})` : ''}`))
    },
  })
}
