import { Journal } from './journal.ts'
import { until } from './until.ts'
import { Writer } from './writer.ts'

const WRITERS = 5
/** Of each writer, before the fault. */
const WRITES_BEFORE = 4

/** Several people who write all the time. */
export class Traffic {
  readonly journal = new Journal()
  readonly #writers: Writer[]

  constructor(addressOf: () => string) {
    this.#writers = Array.from({ length: WRITERS }, (_, index) => new Writer(`w${index}`, addressOf, this.journal))
  }

  get companyIds(): string[] {
    return this.#writers.map(({ companyId }) => companyId)
  }

  /** Resolves when writes of all of them are acknowledged. */
  async start(): Promise<void> {
    for (const writer of this.#writers) await writer.signUp()
    for (const writer of this.#writers) writer.start()
    await this.more(WRITES_BEFORE * WRITERS)
  }

  /** Resolves when so many more writes are acknowledged. */
  async more(writes: number): Promise<void> {
    const target = this.journal.acknowledged.length + writes
    await until(() => this.journal.acknowledged.length >= target)
  }

  /**
   * Resolves, to the milliseconds since then, when each has an acknowledged write that was sent after this moment; or
   * when one has got an answer by which something was lost, because then it may never write again.
   */
  async healedSince(sinceMs: number): Promise<number> {
    const { wrong } = this.journal
    await until(() => wrong.length > 0 || this.#writers.every(({ newest }) => newest.sentMs > sinceMs))
    return Math.max(...this.#writers.map(({ newest }) => newest.answeredMs)) - sinceMs
  }

  async stop(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.stop()))
  }

  async settle(): Promise<void> {
    await Promise.all(this.#writers.map((writer) => writer.settle()))
  }
}
