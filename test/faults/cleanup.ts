/** What a run has opened and not yet closed. */
const open = new Set<() => Promise<void>>()

/** Registers what has to be closed even when the run is interrupted. Returns the function that closes it, once. */
export function closingAtEnd(close: () => Promise<void>): () => Promise<void> {
  const closeOnce = async () => {
    if (open.delete(closeOnce)) await close()
  }
  open.add(closeOnce)
  return closeOnce
}

/** An interrupted run leaves no process behind. */
export function closeOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, async () => {
      for (const close of [...open].reverse()) await close().catch(() => {})
      process.exit(1)
    })
}
