import { problemFromDatabase } from '../database/errors.ts'
import { DatabaseMissingError } from '../database/locate.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { Problem } from '../problems.ts'
import { isOperatorError } from '../process/exit.ts'
import { EXIT } from './exit-codes.ts'
import { printable, printableJson } from './printable.ts'

/** What a person or a program learns of an error. */
interface Failure {
  code: string
  message: string
  exitCode: number
}

/** Prints the error to standard error and returns the exit code. Only a bug shows where in the code it happened. */
export function printError(error: unknown, { json }: { json: boolean }): number {
  const failure = failureFrom(error)
  if (json) console.error(errorJson(failure))
  else if (failure.code === 'internal_error') console.error(error)
  else console.error(printable(failure.message))
  return failure.exitCode
}

export const errorJson = ({ code, message }: { code: string; message: string }): string =>
  printableJson({ error: { code, message } })

function failureFrom(error: unknown): Failure {
  const { message } = error as Error
  if (error instanceof OperatorError) return { code: error.code, message, exitCode: exitCodeOf(error) }
  if (error instanceof DatabaseMissingError)
    return { code: 'database_unavailable', message, exitCode: EXIT.unavailable }
  const problem = error instanceof Problem ? error : problemFromDatabase(error)
  if (problem && problem.code !== 'internal_error') {
    const reason = problem.context.cause instanceof Error ? ` (${problem.context.cause.message})` : ''
    const isBusy = problem.status === 503
    const text = isBusy ? problem.message + reason : problem.message
    return { code: problem.code, message: text, exitCode: isBusy ? EXIT.unavailable : EXIT.failed }
  }
  if (isOperatorError(error)) return { code: 'failed', message, exitCode: EXIT.failed }
  return { code: 'internal_error', message, exitCode: EXIT.failed }
}

function exitCodeOf({ code }: OperatorError): number {
  if (code === 'usage') return EXIT.usage
  return code.endsWith('_not_found') ? EXIT.notFound : EXIT.failed
}
