/** A write that the service was asked for. `mark` is a text that the change carries, so that it can be looked up. */
export interface Write {
  kind: 'update' | 'add'
  companyId: string
  mark: string
  /** The address that gets an email because of the write. */
  recipient?: string
}

/** What was acknowledged, and what an answer said that no answer should. */
export class Journal {
  readonly acknowledged: Write[] = []
  readonly wrong: string[] = []
  /** Sessions whose refresh token was refused although it was the newest one. */
  readonly lostSessions = new Set<string>()

  acknowledge(write: Write): void {
    this.acknowledged.push(write)
  }

  /** Each once, because one fault gives the same answer many times. */
  noteWrong(what: string): void {
    if (!this.wrong.includes(what)) this.wrong.push(what)
  }
}
