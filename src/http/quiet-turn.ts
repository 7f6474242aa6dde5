import type { Server, Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { OpenRequests } from './open-requests.ts'

/** A turn of the event loop that is shorter has found nothing to accept and nothing to read. */
const QUIET_TURN_MS = 0.1
/** For a process that never has a turn like that. */
const WAIT_MS_MAX = 2000

/**
 * Resolves at the end of a turn of the event loop that had nothing to do: what the system has accepted and received is
 * read. Closing in the same turn resets only what has come in these microseconds.
 */
export async function quietTurn(): Promise<void> {
  const latest = performance.now() + WAIT_MS_MAX
  for (let begun = performance.now(); ; ) {
    await turn()
    const now = performance.now()
    if (now - begun < QUIET_TURN_MS || now > latest) return
    begun = now
  }
}

/**
 * Reads no further request until the returned function is called, so that turns become quiet in a process that has more to do
 * than it can: a turn accepts one connection, and while requests are handled more would come than are accepted.
 */
export function holdRequests(server: Server, { sockets }: OpenRequests): () => void {
  const held: Socket[] = []
  const hold = (socket: Socket) => {
    if (socket.isPaused()) return
    socket.pause()
    held.push(socket)
  }
  sockets.forEach(hold)
  server.on('connection', hold)
  return () => {
    server.off('connection', hold)
    for (const socket of held) socket.resume()
  }
}
