import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { locateBinaries } from '../../src/database/embedded/binaries.ts'
import { commandLine, ENVIRONMENT, grant, run, selectOsUser } from '../../src/database/embedded/os-user.ts'
import { rolesSql } from '../../src/database/roles.ts'
import { freePort } from './free-port.ts'

const START_MS_MAX = 30_000
const POLL_MS = 50

/** A PostgreSQL on loopback that keeps its promises: what it commits is on disk. */
export interface PostgresServer {
  port: number
  /** Ends at once, as when the power fails. */
  kill(): Promise<void>
  /** Resolves when it accepts connections. */
  start(): Promise<void>
  /** Runs a statement as the superuser. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  /** Ends it and removes its files. */
  close(): Promise<void>
}

/** Starts one with the role and the database of the service. `folder`: where its data lie; undefined: a new one. */
export async function startPostgres({ folder }: { folder?: string } = {}): Promise<PostgresServer> {
  const server = new Server(folder ?? mkdtempSync(path.join(tmpdir(), 'tenantry-faults-')), await freePort())
  try {
    server.initialize()
    await server.start()
    await server.query('create role tenantry login')
    await server.query('create database tenantry owner tenantry')
    await server.query(rolesSql({ user: 'tenantry', database: 'tenantry' }))
    return server
  } catch (error) {
    await server.close()
    throw error
  }
}

class Server implements PostgresServer {
  readonly port: number
  readonly #folder: string
  readonly #user
  readonly #binaries
  #child: ChildProcess | undefined

  constructor(folder: string, port: number) {
    this.#folder = folder
    this.port = port
    this.#user = selectOsUser(path.join(folder, 'none'))
    this.#binaries = locateBinaries(this.#user, process.env.POSTGRES_BIN_DIR)
  }

  initialize(): void {
    const fd = openSync(this.#folder, 'r')
    grant(fd, this.#user)
    closeSync(fd)
    const flags = ['-D', this.#dataDir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N']
    const { status, stderr } = run(this.#user, this.#binaries.initdb, flags)
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`)
  }

  async start(): Promise<void> {
    for (const deadline = Date.now() + START_MS_MAX; ; await pause(POLL_MS)) {
      if (!this.#isRunning) this.#launch()
      if (await this.#accepts()) return
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${this.#log.slice(-2000)}`)
    }
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const database = /^create (role|database)/.test(text) || text.startsWith('do $$') ? 'postgres' : 'tenantry'
    const client = this.#client(database)
    await client.connect()
    try {
      return (await client.query<Row>(text, values)).rows
    } finally {
      await client.end().catch(() => {})
    }
  }

  async close(): Promise<void> {
    await this.#end('SIGQUIT')
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #dataDir(): string {
    return path.join(this.#folder, 'data')
  }

  get #log(): string {
    const file = path.join(this.#folder, 'log')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  get #isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** After a kill the processes of the killed server live on for a moment, and the new one refuses to start. */
  #launch(): void {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: '',
      max_connections: '200',
    }
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const [command, ...args] = commandLine(this.#user, this.#binaries.postgres, ['-D', this.#dataDir, ...flags])
    const { uid, gid } = this.#user
    const log = openSync(path.join(this.#folder, 'log'), 'a')
    this.#child = spawn(command, args, { uid, gid, cwd: '/', env: ENVIRONMENT, stdio: ['ignore', log, log] })
    closeSync(log)
  }

  async #accepts(): Promise<boolean> {
    const client = this.#client('postgres')
    try {
      await client.connect()
      return true
    } catch {
      return false
    } finally {
      client.end().catch(() => {})
    }
  }

  #client(database: string): pg.Client {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: 'postgres', database, ssl: false })
    client.on('error', () => {})
    return client
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.#child || !this.#isRunning) return
    const exited = once(this.#child, 'exit')
    this.#child.kill(signal)
    await exited
  }
}
