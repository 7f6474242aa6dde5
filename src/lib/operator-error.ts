/** Refuses what an operator asks for at the command line. `message` is one sentence that says why, and what helps. */
export class OperatorError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
