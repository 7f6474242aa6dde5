import type { Socket } from 'node:net'
import type { ConnectionSlots } from '../lib/connection-slots.ts'

/** Checks without progress after which a connection counts as idle: at one check every 5 seconds, 15 seconds. */
const STALLED_CHECKS_MAX = 3

/**
 * Follows a connection with pending responses. It counts as busy while its client reads them: a download may take as long
 * as it needs, but a client that reads nothing counts as idle until it reads again.
 */
export class ConnectionProgress {
  readonly #socket: Socket
  readonly #slots: ConnectionSlots<Socket>
  #pendingResponses = 0
  #bytesRead = 0
  #stalledChecks = 0

  constructor(socket: Socket, slots: ConnectionSlots<Socket>) {
    this.#socket = socket
    this.#slots = slots
  }

  startResponse(): void {
    this.#pendingResponses++
    if (this.#pendingResponses === 1) this.#slots.setBusy(this.#socket)
  }

  /** Returns whether no response is pending any more. One that is written but not yet read keeps no connection busy. */
  endResponse(): boolean {
    this.#pendingResponses--
    if (this.#pendingResponses > 0) return false
    this.#slots.setIdle(this.#socket)
    return true
  }

  /** The connection makes progress when the client has read something since the last check, or has nothing to read. */
  check(): void {
    const unread = this.#socket.writableLength
    const bytesRead = this.#socket.bytesWritten - unread
    const isStalled = unread > 0 && bytesRead === this.#bytesRead
    this.#bytesRead = bytesRead
    this.#stalledChecks = isStalled ? this.#stalledChecks + 1 : 0
    if (this.#stalledChecks === 0) this.#slots.setBusy(this.#socket)
    if (this.#stalledChecks === STALLED_CHECKS_MAX) this.#slots.setIdle(this.#socket)
  }
}
