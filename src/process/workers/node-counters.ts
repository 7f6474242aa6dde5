import type { Count, SharedCounters } from '../../http/limits/counters.ts'
import type { Counted } from '../../lib/window-counter.ts'
import { type FromPrimary, sendTo } from './messages.ts'

interface Waiting {
  counts: Count[]
  resolve(counted: Counted[]): void
}

/** Counts in the primary process, which counts for all workers of this node. One message has all requests of one turn. */
export function openNodeCounters(): SharedCounters {
  const sent = new Map<number, Waiting[]>()
  let unsent: Waiting[] = []
  let lastId = 0
  const send = () => {
    const id = ++lastId
    sent.set(id, unsent)
    sendTo(process, { kind: 'count', id, requests: unsent.map(({ counts }) => counts) })
    unsent = []
  }
  const onMessage = (message: FromPrimary) => {
    if (message.kind !== 'counted') return
    const waiting = sent.get(message.id) ?? []
    sent.delete(message.id)
    waiting.forEach(({ resolve }, index) => {
      resolve(message.requests[index] as Counted[])
    })
  }
  process.on('message', onMessage)
  const count = (counts: Count[]) =>
    new Promise<Counted[]>((resolve) => {
      if (unsent.push({ counts, resolve }) === 1) setImmediate(send)
    })
  return {
    name: 'The primary process',
    count,
    probe: () => count([]),
    close: () => process.off('message', onMessage),
  }
}
