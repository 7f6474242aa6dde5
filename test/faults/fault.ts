/** What became of the writes and emails of one fault. */
export interface Outcome {
  /** How many writes the service answered with success. */
  acknowledged: number
  /** What was acknowledged and is not there: a change, its audit record, its email, a session. Each in a few words. */
  lost: string[]
  /** Changes that were made twice, and emails that were sent twice under different Message-IDs. Each in a few words. */
  twice: string[]
  /** From the end of the fault until every writer had a new write acknowledged. */
  healedMs: number
}

/** One way in which something that the service depends on fails, while people write. */
export interface Fault {
  /** In a few words, for the table. */
  name: string
  /** Also part of the short form, which CI runs. */
  short?: boolean
  /** Programs that have to be on the PATH; without one the fault counts as failed. */
  programs?: string[]
  /** As long as healing may take. */
  healMsMax: number
  /** As long as all of it may take, where that is longer than for others. */
  msMax?: number
  run(): Promise<Outcome>
}
