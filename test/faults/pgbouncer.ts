import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

/** A PgBouncer on loopback. */
export interface PgBouncer {
  port: number
  /** The address of the service's database through it. */
  url: string
  start(): Promise<void>
  kill(): Promise<void>
  close(): Promise<void>
}

/** The user that root runs it as. */
const UNPRIVILEGED_ID = 65534

/** `program`: the one on the PATH, or another version. */
export async function startPgBouncer(
  postgresPort: number,
  { mode, program = process.env.PGBOUNCER ?? 'pgbouncer' }: { mode: 'session' | 'transaction'; program?: string },
): Promise<PgBouncer> {
  const bouncer = new Bouncer(await freePort(), program)
  bouncer.configure(postgresPort, mode)
  await bouncer.start()
  return bouncer
}

class Bouncer implements PgBouncer {
  readonly port: number
  readonly url: string
  readonly #program: string
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'tenantry-pgbouncer-'))
  #child: ChildProcess | undefined
  #printed = ''

  constructor(port: number, program: string) {
    this.port = port
    this.#program = program
    this.url = `postgres://tenantry@127.0.0.1:${port}/tenantry`
  }

  configure(postgresPort: number, mode: string): void {
    const lines = [
      '[databases]',
      `tenantry = host=127.0.0.1 port=${postgresPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${this.port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${this.#file('users')}`,
      `pool_mode = ${mode}`,
      'default_pool_size = 60',
    ]
    writeFileSync(this.#file('users'), '"tenantry" ""\n')
    writeFileSync(this.#file('pgbouncer.ini'), lines.join('\n'))
    chmodSync(this.#folder, 0o755)
    if (process.getuid?.() === 0) chownSync(this.#folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  }

  async start(): Promise<void> {
    const isRoot = process.getuid?.() === 0
    const child = spawn(this.#program, [this.#file('pgbouncer.ini')], {
      cwd: '/',
      env: { PATH: `${process.env.PATH}:/usr/sbin` },
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(isRoot && { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID }),
    })
    child.stderr?.on('data', (text) => {
      this.#printed = (this.#printed + text).slice(-5000)
    })
    child.on('error', (error) => {
      this.#printed += error.message
    })
    this.#child = child
    await until(() => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended at its start: ${this.#printed}`)
      return this.#accepts()
    })
  }

  async kill(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }

  async close(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #file(name: string): string {
    return path.join(this.#folder, name)
  }

  async #accepts(): Promise<boolean> {
    const client = new pg.Client(this.url)
    client.on('error', () => {})
    try {
      await client.connect()
      return true
    } catch {
      return false
    } finally {
      client.end().catch(() => {})
    }
  }
}
