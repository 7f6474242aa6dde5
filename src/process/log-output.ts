import { writeSync } from 'node:fs'
import { openStandardOutput } from './standard-output.ts'

/** What is kept of lines that can't be written yet, in characters. Further lines are dropped and counted. */
const KEPT_LENGTH_MAX = 4_194_304
/** Lines of one turn of the event loop are written together, in pieces of about this length. */
const PIECE_LENGTH = 65_536
/** A pipe takes as much at once or not at all (PIPE_BUF), so that lines of several processes do not mix. */
const ATOMIC_BYTES = 4096
/** A reader is behind: it may have read much of what a pipe holds by then. */
const BEHIND_MS = 5
/** The disk is full, or the reader has gone. */
const FAILED_MS = 1000
/** How long the end of the process waits for a reader that is behind. */
const EXIT_MS = 500

/** Lines that this process could not write since its start. */
export const logCounts = { dropped: 0 }

interface Interruption {
  /** How many lines were dropped. */
  dropped: number
  /** Such as `ENOSPC`; `EAGAIN` for a reader that does not read. */
  code: string
}

/**
 * Writes lines and never waits for it: a full disk, or a reader that hangs or has gone, costs lines of the log and a
 * bounded memory, but delays no request. Lines are written whole and in order.
 */
export class LogOutput {
  /** Called when everything is written again after lines were dropped. */
  onRecovered: (interruption: Interruption) => void = () => {}
  readonly #fd: number
  readonly #isShared: boolean
  #lines: string[] = []
  #length = 0
  /** What has been begun and is not written to its end. */
  #rest: Uint8Array = new Uint8Array()
  #interruption: Interruption | undefined
  #isScheduled = false

  /** `isShared`: other processes write lines to the same pipe. */
  constructor(fd = openStandardOutput(), { isShared = false } = {}) {
    this.#fd = fd
    this.#isShared = isShared
    process.once('exit', () => this.#finish())
  }

  write(line: string): void {
    if (this.#interruption && this.#length + line.length > KEPT_LENGTH_MAX) {
      this.#interruption.dropped++
      logCounts.dropped++
      return
    }
    this.#lines.push(line)
    this.#length += line.length
    if (this.#interruption) return
    if (this.#length >= PIECE_LENGTH) this.flushSync()
    else if (!this.#isScheduled) setImmediate(() => this.flushSync())
    this.#isScheduled = true
  }

  /** Writes what can be written at once. The logger calls it by this name with a line that is fatal. */
  flushSync(): void {
    this.#isScheduled = false
    const code = this.#writeAll()
    if (code === undefined) this.#recover()
    else if (!this.#interruption) this.#interrupt(code)
  }

  /** Returns the code of the error that prevents writing; undefined: everything is written. */
  #writeAll(): string | undefined {
    try {
      while (this.#rest.length > 0 || this.#lines.length > 0) {
        if (this.#rest.length === 0) this.#rest = this.#takeLines()
        this.#rest = this.#rest.subarray(writeSync(this.#fd, this.#rest))
      }
      return undefined
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code)
    }
  }

  #takeLines(): Uint8Array {
    const lines = this.#lines.splice(0, this.#isShared ? linesWithin(ATOMIC_BYTES, this.#lines) : this.#lines.length)
    const text = lines.join('')
    this.#length -= text.length
    return Buffer.from(text)
  }

  #interrupt(code: string): void {
    this.#interruption = { dropped: 0, code }
    const retry = () => {
      const failure = this.#writeAll()
      if (failure === undefined) this.#recover()
      else setTimeout(retry, failure === 'EAGAIN' ? BEHIND_MS : FAILED_MS).unref()
    }
    setTimeout(retry, BEHIND_MS).unref()
  }

  #recover(): void {
    const interruption = this.#interruption
    this.#interruption = undefined
    if (interruption && interruption.dropped > 0) this.onRecovered(interruption)
  }

  #finish(): void {
    const deadline = performance.now() + EXIT_MS
    let code = this.#writeAll()
    while (code === 'EAGAIN' && performance.now() < deadline) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BEHIND_MS)
      code = this.#writeAll()
    }
    if (code !== undefined) return
    this.#recover()
    this.#writeAll()
  }
}

/** How many of the first lines fit into so many bytes: at least one. */
function linesWithin(bytesMax: number, lines: string[]): number {
  let bytes = 0
  const tooMany = lines.findIndex((line, index) => {
    bytes += Buffer.byteLength(line)
    return index > 0 && bytes > bytesMax
  })
  return tooMany === -1 ? lines.length : tooMany
}
