import type { Socket } from 'node:net'
import type { Seats } from '../lib/connection-slots.ts'

/** Looks without progress after which a connection counts as idle: with one look every 5 seconds that is 15 seconds. */
const LOOKS_MAX = 3

/**
 * A connection with answers that are still being made. It is served while its peer takes what is written: a download goes
 * on however long it takes, but whoever reads nothing of it counts as idle until it reads again.
 */
export class Answering {
  readonly #socket: Socket
  readonly #seats: Seats<Socket>
  #answers = 0
  #taken = 0
  #looks = 0

  constructor(socket: Socket, seats: Seats<Socket>) {
    this.#socket = socket
    this.#seats = seats
  }

  begin(): void {
    this.#answers++
    if (this.#answers === 1) this.#seats.work(this.#socket)
  }

  /** Tells whether that was the last answer. What of it is not read yet keeps no seat. */
  end(): boolean {
    this.#answers--
    if (this.#answers > 0) return false
    this.#seats.rest(this.#socket)
    return true
  }

  /** Looks whether the peer has taken anything since the last time, or has nothing to take. */
  look(): void {
    const waiting = this.#socket.writableLength
    const taken = this.#socket.bytesWritten - waiting
    const isStuck = waiting > 0 && taken === this.#taken
    this.#taken = taken
    this.#looks = isStuck ? this.#looks + 1 : 0
    if (this.#looks === 0) this.#seats.work(this.#socket)
    if (this.#looks === LOOKS_MAX) this.#seats.rest(this.#socket)
  }
}
