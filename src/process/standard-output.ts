import { constants, fstatSync, openSync } from 'node:fs'
import net from 'node:net'

const STANDARD_OUTPUT = 1

/**
 * A descriptor of standard output that never blocks. Where possible it is another one to the same pipe or terminal, because
 * this property would be shared with every process that writes there too. A file on a disk never blocks.
 */
export function openStandardOutput(): number {
  if (fstatSync(STANDARD_OUTPUT).isFile()) return STANDARD_OUTPUT
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants
    return openSync('/proc/self/fd/1', O_WRONLY | O_NONBLOCK | O_NOCTTY)
  } catch {
    // A socket can't be opened again, nor can a pipe of another user, nor one that has no reader.
    stopBlocking(STANDARD_OUTPUT)
    return STANDARD_OUTPUT
  }
}

function stopBlocking(fd: number): void {
  try {
    new net.Socket({ fd, readable: false, writable: true }).unref()
  } catch {
    // Neither a pipe nor a socket.
  }
}
