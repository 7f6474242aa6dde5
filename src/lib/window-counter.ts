interface Window {
  count: number
  endsAtMs: number
}

/** How often a name was counted in its current window. */
export interface Counted {
  count: number
  /** Until the window ends. */
  msLeft: number
}

/** Counts names in windows of one length: a window begins with the first count of its name. */
export class WindowCounter {
  readonly #lengthMs: number
  /** In the order in which they began, and so in the one in which they end. */
  readonly #windows = new Map<string, Window>()
  readonly #nowMs: () => number

  constructor(lengthMs: number, nowMs = () => performance.now()) {
    this.#lengthMs = lengthMs
    this.#nowMs = nowMs
  }

  count(name: string): Counted {
    const nowMs = this.#nowMs()
    const window = this.#windows.get(name)
    if (!window || window.endsAtMs <= nowMs) return this.#begin(name, nowMs)
    window.count++
    return { count: window.count, msLeft: window.endsAtMs - nowMs }
  }

  /** The current count, without counting. */
  read(name: string): Counted {
    const nowMs = this.#nowMs()
    const window = this.#windows.get(name)
    if (!window || window.endsAtMs <= nowMs) return { count: 0, msLeft: this.#lengthMs }
    return { count: window.count, msLeft: window.endsAtMs - nowMs }
  }

  #begin(name: string, nowMs: number): Counted {
    this.#forget(nowMs)
    this.#windows.set(name, { count: 1, endsAtMs: nowMs + this.#lengthMs })
    return { count: 1, msLeft: this.#lengthMs }
  }

  /** Every window that has ended, the one of a name that begins another among them. */
  #forget(nowMs: number): void {
    for (const [name, { endsAtMs }] of this.#windows) {
      if (endsAtMs > nowMs) return
      this.#windows.delete(name)
    }
  }

  /** How many names are remembered. */
  get size(): number {
    return this.#windows.size
  }
}
