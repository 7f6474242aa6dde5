import pg from 'pg'
import { sessionAttributesIn } from '../lib/database-urls.ts'
import { type Address, addressesOf, type Target } from './connection-settings.ts'
import { findPosition, Timelines } from './timelines.ts'

/** How long one host may take to answer. */
const PROBE_MS = 1000
/** Connections that are opened together ask the hosts once. */
const REMEMBERED_MS = 250

type ClientClass = new (config?: pg.ClientConfig) => pg.Client

/** No host takes writes now. `reasons` has one error for each host. */
export class NoWritableHostError extends Error {
  readonly reasons: Error[]

  constructor(reasons: Error[]) {
    super(`no host takes writes (${reasons.map(({ message }) => message).join('; ')})`)
    this.reasons = reasons
  }
}

export class ReadOnlyHostError extends Error {}

/**
 * The class of connections to this target. With several hosts, or with `target_session_attrs`, each new connection goes to
 * the host that takes writes at that moment, as libpq does it, and that is not a former primary; the driver itself knows
 * one host only.
 */
export function clientClassFor(target: Target, timelines = new Timelines()): ClientClass {
  const addresses = addressesOf(target)
  const isDemanded = 'connectionString' in target && sessionAttributesIn(target.connectionString) !== undefined
  return addresses.length > 1 || isDemanded ? classFor(new WritableHost(addresses, timelines)) : pg.Client
}

/** Opens a connection to this target. */
export async function openClient(target: Target, config: pg.ClientConfig): Promise<pg.Client> {
  const client = new (clientClassFor(target))(config)
  // Without a listener a broken connection ends the process. The promise of the statement under way reports the error.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
}

/** Closes the connection without waiting for a server that may be silent. */
export function destroySocket(client: pg.ClientBase): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}

function classFor(hosts: WritableHost): ClientClass {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config)
      this.on('error', () => hosts.forget())
    }

    /** The pool passes a callback, others await the promise. */
    override connect(): Promise<this>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<this> | undefined {
      const connecting = hosts.find().then(({ host, port }) => {
        Object.assign(this, { host, port })
        return super.connect() as unknown as Promise<this>
      })
      connecting.catch(() => hosts.forget())
      if (!callback) return connecting
      connecting.then(() => callback(undefined as unknown as Error), callback)
      return undefined
    }
  }
}

class WritableHost {
  readonly #addresses: Address[]
  readonly #timelines: Timelines
  #asking: Promise<Address> | undefined
  #last: { address: Address; atMs: number } | undefined

  constructor(addresses: Address[], timelines: Timelines) {
    this.#addresses = addresses
    this.#timelines = timelines
  }

  async find(): Promise<Address> {
    if (this.#last && performance.now() - this.#last.atMs < REMEMBERED_MS) return this.#last.address
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  /** After a connection could not be opened or has broken. */
  forget(): void {
    this.#last = undefined
  }

  /** All at once, so that a host that hangs delays nothing. */
  async #ask(): Promise<Address> {
    try {
      const address = await Promise.any(this.#addresses.map((each) => assertWritable(each, this.#timelines)))
      this.#last = { address, atMs: performance.now() }
      return address
    } catch (error) {
      throw new NoWritableHostError((error as AggregateError).errors)
    }
  }
}

async function assertWritable(address: Address, timelines: Timelines): Promise<Address> {
  const limits = { connectionTimeoutMillis: PROBE_MS, query_timeout: PROBE_MS }
  const client = new pg.Client({ ...address, ...limits, application_name: 'tenantry probe' })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ isReadOnly: boolean }>(
      `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly"`,
    )
    if (rows[0]?.isReadOnly) throw new ReadOnlyHostError(`${address.host}:${address.port} is read-only`)
    timelines.assertCurrent(await findPosition((text) => client.query(text)))
    return address
  } finally {
    destroySocket(client)
  }
}
