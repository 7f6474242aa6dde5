import type { ApiDocument, Operation } from './document.ts'

/** Counts requests and their statuses by operation. */
export class Coverage {
  readonly #started = performance.now()
  readonly #statuses = new Map<string, Map<number, number>>()
  readonly #unanswered: string[] = []

  count(operation: Operation | undefined, status: number): void {
    const name = operation?.id ?? NO_OPERATION
    const statuses = this.#statuses.get(name) ?? new Map<number, number>()
    this.#statuses.set(name, statuses.set(status, (statuses.get(status) ?? 0) + 1))
  }

  /** No whole answer. The report says why, because not each of them is a finding. */
  countUnanswered(operation: Operation | undefined, reason: string): void {
    this.count(operation, 0)
    this.#unanswered.push(`Unanswered: ${operation?.id ?? NO_OPERATION}, ${reason}`)
  }

  get total(): number {
    return sum([...this.#statuses.values()].flatMap((statuses) => [...statuses.values()]))
  }

  /** Operations without a successful answer. */
  neverServed(document: ApiDocument): string[] {
    return document.operations.map(({ id }) => id).filter((id) => !this.#served(id))
  }

  #served(id: string): boolean {
    return [...(this.#statuses.get(id)?.keys() ?? [])].some((status) => status >= 200 && status < 300)
  }

  report(document: ApiDocument): string {
    const names = [...document.operations.map(({ id }) => id), NO_OPERATION]
    const lines = names.map((name) => {
      const statuses = this.#statuses.get(name) ?? new Map<number, number>()
      return `  ${name.padEnd(28)} ${String(sum([...statuses.values()])).padStart(7)}   ${listOf(statuses)}`
    })
    const all = new Map<number, number>()
    for (const statuses of this.#statuses.values())
      for (const [status, count] of statuses) all.set(status, (all.get(status) ?? 0) + count)
    const seconds = (performance.now() - this.#started) / 1000
    const never = this.neverServed(document)
    return [
      'Requests by operation, and how they were answered:',
      ...lines,
      ...this.#unanswered,
      `Answers: ${listOf(all)}`,
      `${this.total} requests in ${seconds.toFixed(0)} s, ${(this.total / seconds).toFixed(0)} a second.`,
      never.length === 0 ? 'Every operation was served.' : `Never served: ${never.join(', ')}`,
    ].join('\n')
  }
}

const NO_OPERATION = '(no operation)'

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

/** Status 0 counts requests without a whole answer. */
const listOf = (statuses: Map<number, number>) =>
  [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}×${count}`)
    .join(' ')
