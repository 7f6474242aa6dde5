const HEAP_BOUND = /(--max[-_]old[-_]space[-_]size(?:[-_]percentage)?=)(\d+(?:\.\d+)?)/g

/** A bound of the heap that the operator has set is one of the whole service: each process gets its part. */
export function divideHeap(options: string, processes: number): string {
  return options.replace(
    HEAP_BOUND,
    (_, name: string, size: string) => name + Math.max(1, Math.floor(Number(size) / processes)),
  )
}
