import { encodeParameter } from './parameters.ts'

const PARSE = 0x50
const CLOSE = 0x43
const PREPARED_STATEMENT = Buffer.from('S')
const BIND = 0x42
const DESCRIBE_PORTAL = Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0])
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0])
const SYNC = Buffer.from([0x53, 0, 0, 0, 4])

const TEXT = 0
const BINARY = 1
const NULL = -1
/** UTF-8 needs at most so many bytes for one unit of a string. */
const UTF8_BYTES_MAX = 3
/** Above this size the buffer of a large message is not kept for the next ones. */
const KEPT_BYTES_MAX = 64 * 1024

/**
 * Collects messages of the extended query protocol, to send them by one write. Statements use the portal without a name
 * and have all rows at once, as text. See "Message Formats" in PostgreSQL's documentation.
 */
export class FrontendMessages {
  #buffer = Buffer.allocUnsafe(KEPT_BYTES_MAX)
  #length = 0

  parse(name: string, sql: string): void {
    const start = this.#begin(PARSE)
    this.#cstring(name)
    this.#cstring(sql)
    this.#int16(0)
    this.#end(start)
  }

  /** A name that the server does not know is no error. */
  closeStatement(name: string): void {
    const start = this.#begin(CLOSE)
    this.#bytes(PREPARED_STATEMENT)
    this.#cstring(name)
    this.#end(start)
  }

  /** Throws, before anything is sent, when a value can't be encoded. */
  bind(name: string, values: readonly unknown[]): void {
    const start = this.#begin(BIND)
    this.#cstring('')
    this.#cstring(name)
    this.#int16(values.length)
    const formats = this.#length
    for (const _ of values) this.#int16(TEXT)
    this.#int16(values.length)
    for (const [index, value] of values.entries()) {
      if (this.#value(encodeParameter(value)) === BINARY) this.#buffer.writeInt16BE(BINARY, formats + 2 * index)
    }
    this.#int16(0)
    this.#end(start)
  }

  describePortal(): void {
    this.#bytes(DESCRIBE_PORTAL)
  }

  executePortal(): void {
    this.#bytes(EXECUTE)
  }

  sync(): void {
    this.#bytes(SYNC)
  }

  /** The collected messages, in memory of their own. */
  take(): Buffer {
    const messages = Buffer.from(this.#buffer.subarray(0, this.#length))
    this.drop()
    return messages
  }

  /** Forgets the collected messages. */
  drop(): void {
    this.#length = 0
    if (this.#buffer.length > KEPT_BYTES_MAX) this.#buffer = Buffer.allocUnsafe(KEPT_BYTES_MAX)
  }

  #begin(type: number): number {
    this.#reserve(5)
    const start = this.#length
    this.#buffer[start] = type
    this.#length += 5
    return start
  }

  /** The length of a message counts itself, but not the type before it. */
  #end(start: number): void {
    this.#buffer.writeInt32BE(this.#length - start - 1, start + 1)
  }

  #value(value: string | Buffer | null): number {
    this.#reserve(4)
    const start = this.#length
    this.#length += 4
    if (typeof value === 'string') this.#string(value)
    else if (value) this.#bytes(value)
    this.#buffer.writeInt32BE(value === null ? NULL : this.#length - start - 4, start)
    return value instanceof Buffer ? BINARY : TEXT
  }

  #cstring(text: string): void {
    this.#string(text)
    this.#reserve(1)
    this.#buffer[this.#length++] = 0
  }

  #string(text: string): void {
    this.#reserve(text.length * UTF8_BYTES_MAX)
    this.#length += this.#buffer.write(text, this.#length)
  }

  #bytes(bytes: Buffer): void {
    this.#reserve(bytes.length)
    this.#length += bytes.copy(this.#buffer, this.#length)
  }

  #int16(value: number): void {
    this.#reserve(2)
    this.#length = this.#buffer.writeInt16BE(value, this.#length)
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(needed * 2)
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
