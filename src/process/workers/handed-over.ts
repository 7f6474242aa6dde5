import type { Worker } from 'node:cluster'

/** What `node:cluster` sends with a new connection, and what the worker process answers once it has taken it. */
interface Handover {
  cmd?: unknown
  act?: unknown
  seq?: number
  ack?: number
}

/**
 * Gives the connections that a worker process was handed, and had not taken when it died, to the others. Without this
 * Node waits for the answer of the dead process, and keeps such a connection open without an answer. The connection was
 * not read from yet, because a process answers before it reads.
 */
export function returnConnectionsOf(worker: Worker): void {
  const pending = new Set<number>()
  const child = worker.process
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  child.send = ((message: Handover, ...rest: unknown[]) => {
    if (message.act === 'newconn' && message.seq !== undefined) pending.add(message.seq)
    return send(message, ...rest)
  }) as typeof child.send
  child.on('internalMessage', ({ ack }: Handover) => {
    if (ack !== undefined) pending.delete(ack)
  })
  // All that the process had sent is read by now.
  child.once('close', () => {
    if (pending.size === 0) return
    // With a connection under way Node does not say so, and would hand the dead process more.
    child.emit('disconnect')
    for (const ack of pending) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
  })
}
