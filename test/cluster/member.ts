import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../faults/free-port.ts'
import { until } from '../faults/until.ts'
import { type Program, startProgram } from './program.ts'

/** As Patroni's documentation has it, with the shortest time to live that it supports. */
const SHARED_SETTINGS = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 5,
  synchronous_mode: true,
  synchronous_mode_strict: true,
  postgresql: {
    use_pg_rewind: true,
    parameters: { max_connections: 150, wal_keep_size: '256MB', wal_log_hints: 'on' },
  },
}

/**
 * One PostgreSQL of the cluster, with the Patroni that watches it. Debian's Patroni 3.0.2 uses the API of version 2 of
 * etcd here: with version 3, a leader that has hung takes the lock back from the next one, whose commits are then
 * thrown away; Patroni 3.0.3 compares before it does.
 */
export class Member {
  readonly name: string
  readonly port: number
  /** Where Patroni answers what the member is. */
  readonly restPort: number
  readonly #folder: string
  #patroni: Program | undefined

  static async create(name: string, folder: string): Promise<Member> {
    return new Member(name, folder, await freePort(), await freePort())
  }

  private constructor(name: string, folder: string, port: number, restPort: number) {
    this.name = name
    this.#folder = folder
    this.port = port
    this.restPort = restPort
  }

  start(etcdPort: number): void {
    const file = path.join(this.#folder, `${this.name}.yml`)
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(this.#configuration(etcdPort)))
    this.#patroni = startProgram('patroni', [file], this.#folder)
  }

  /** As Patroni's health check tells: of a replica also whether commits wait for it. */
  async is(role: 'primary' | 'replica' | 'sync'): Promise<boolean> {
    const signal = AbortSignal.timeout(1000)
    const answer = await fetch(`http://127.0.0.1:${this.restPort}/${role}`, { signal }).catch(() => undefined)
    await answer?.arrayBuffer().catch(() => {})
    return answer?.status === 200
  }

  /** Patroni and PostgreSQL end at once, as when the machine does. */
  async kill(): Promise<void> {
    const pids = this.#processes()
    await this.#patroni?.kill()
    for (const pid of pids) signal(pid, 'SIGKILL')
    await until(() => pids.every((pid) => !existsSync(`/proc/${pid}`)))
  }

  /** All of its processes stop, or go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.#patroni) signal(this.#patroni.pid, name)
    for (const pid of this.#processes()) signal(pid, name)
  }

  printed(): string {
    return this.#patroni?.printed() ?? ''
  }

  get #dataDir(): string {
    return path.join(this.#folder, this.name)
  }

  /** The server's first process and its children. */
  #processes(): number[] {
    const file = path.join(this.#dataDir, 'postmaster.pid')
    if (!existsSync(file)) return []
    const postmaster = Number.parseInt(readFileSync(file, 'utf8'), 10)
    const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster)
    return [postmaster, ...children.map(Number)].filter((pid) => existsSync(`/proc/${pid}`))
  }

  #configuration(etcdPort: number): object {
    const address = `127.0.0.1:${this.port}`
    const rest = `127.0.0.1:${this.restPort}`
    return {
      scope: 'tenantry',
      name: this.name,
      restapi: { listen: rest, connect_address: rest },
      etcd: { host: `127.0.0.1:${etcdPort}` },
      bootstrap: { dcs: SHARED_SETTINGS, initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'] },
      postgresql: {
        listen: address,
        connect_address: address,
        data_dir: this.#dataDir,
        bin_dir: '/usr/lib/postgresql/15/bin',
        authentication: { superuser: { username: 'postgres' }, replication: { username: 'replicator' } },
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
        parameters: { unix_socket_directories: this.#folder },
      },
    }
  }
}

function parentOf(pid: string): number | undefined {
  try {
    const behindName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? ''
    return Number(behindName.split(' ')[1])
  } catch {
    return undefined
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}
