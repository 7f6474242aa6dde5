/** What is used of the stream of a connection. */
export interface Stream {
  writable: boolean
  write(bytes: Buffer): void
  cork(): void
  uncork(): void
}

const corked = new WeakSet<Stream>()

/**
 * Everything that is written to a stream in one turn of the event loop leaves by one call of the operating system at the
 * end of the turn, in the order in which it was written, also what the driver writes by itself. A single statement waits
 * only for the work that this turn does anyway.
 */
export function writeWithOthers(stream: Stream, bytes: Buffer): void {
  if (!corked.has(stream)) {
    corked.add(stream)
    stream.cork()
    setImmediate(() => {
      corked.delete(stream)
      stream.uncork()
    })
  }
  stream.write(bytes)
}
