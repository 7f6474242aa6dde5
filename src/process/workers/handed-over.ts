import type { Worker } from 'node:cluster'

/** What `node:cluster` sends with a new connection, and what the worker process answers once it has taken it. */
interface Handover {
  cmd?: unknown
  act?: unknown
  seq?: number
  ack?: number
}

/** The workers to which Node hands connections. */
const listening = new Set<Worker>()

/** As Node holds it, and hands it over: no socket yet. */
interface Connection {
  close(): void
}

/**
 * Gives the connections that a worker process was handed, and had not taken when it died, to the others, and closes them when there is
 * none. Without this Node waits for the answer of the dead process, and keeps such a connection open without an answer. The
 * connection was not read from yet, because a process answers before it reads.
 */
export function returnConnectionsOf(worker: Worker): void {
  const pending = new Map<number, Connection>()
  const child = worker.process
  const send = child.send.bind(child) as (...args: unknown[]) => boolean
  child.send = ((message: Handover, ...rest: unknown[]) => {
    if (message.act === 'newconn' && message.seq !== undefined) pending.set(message.seq, rest[0] as Connection)
    return send(message, ...rest)
  }) as typeof child.send
  child.on('internalMessage', ({ act, ack }: Handover) => {
    if (ack !== undefined) pending.delete(ack)
    // It stops: a moment before it disconnects it has closed its server.
    if (act === 'close') listening.delete(worker)
  })
  worker.once('listening', () => listening.add(worker))
  worker.once('disconnect', () => listening.delete(worker))
  // All that the process had sent is read by now.
  child.once('close', () => {
    listening.delete(worker)
    if (pending.size === 0) return
    // With a connection under way Node does not say so, and would hand the dead process more.
    child.emit('disconnect')
    // Once none listens, also while others start, the queue of connections is closed and takes no more.
    const isLast = listening.size === 0
    for (const [ack, connection] of pending) {
      if (isLast) connection.close()
      else child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
    }
  })
}
