import type { Socket } from 'node:net'
import type { ConnectionSlots } from '../lib/connection-slots.ts'

/** Checks without progress after which a connection counts as idle: at one check every 5 seconds, 15 seconds. */
const LOOKS_MAX = 3

/**
 * A connection with answers that are still being made. It counts as busy while its client reads them: a download may
 * take as long as it wants, but a client that reads nothing counts as idle until it reads again.
 */
export class Answering {
  readonly #socket: Socket
  readonly #slots: ConnectionSlots<Socket>
  #answers = 0
  #taken = 0
  #looks = 0

  constructor(socket: Socket, slots: ConnectionSlots<Socket>) {
    this.#socket = socket
    this.#slots = slots
  }

  begin(): void {
    this.#answers++
    if (this.#answers === 1) this.#slots.setBusy(this.#socket)
  }

  /** Returns whether that was the last answer. An answer that is not read yet does not keep the connection busy. */
  end(): boolean {
    this.#answers--
    if (this.#answers > 0) return false
    this.#slots.setIdle(this.#socket)
    return true
  }

  /** Checks whether the client has read anything since the last check, or has nothing to read. */
  look(): void {
    const waiting = this.#socket.writableLength
    const taken = this.#socket.bytesWritten - waiting
    const isStuck = waiting > 0 && taken === this.#taken
    this.#taken = taken
    this.#looks = isStuck ? this.#looks + 1 : 0
    if (this.#looks === 0) this.#slots.setBusy(this.#socket)
    if (this.#looks === LOOKS_MAX) this.#slots.setIdle(this.#socket)
  }
}
