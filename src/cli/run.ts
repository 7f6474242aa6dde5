import { CommanderError } from '@commander-js/extra-typings'
import { EXIT } from './exit-codes.ts'
import { createProgram } from './program.ts'

/** Runs the command with these arguments, and sets the exit code of the process. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  try {
    await createProgram({ json: args.includes('--json') }).parseAsync([...args], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage
  }
}
