import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { addressesOf } from '../../src/database/connection-settings.ts'
import { rolesSql } from '../../src/database/roles.ts'
import { openClient } from '../../src/database/writable-host.ts'
import type { Query } from '../faults/comparison.ts'
import { freePort } from '../faults/free-port.ts'
import { until } from '../faults/until.ts'
import { Member } from './member.ts'
import { type Program, startProgram, unprivilegedUser } from './program.ts'

const MEMBERS = ['one', 'two', 'three']
const READY_MS_MAX = 120_000

/** Three PostgreSQL nodes under Patroni, with synchronous replication, and a haproxy in front of them. */
export class Cluster {
  /** DATABASE_URL with all three hosts. */
  readonly directUrl: string
  /** DATABASE_URL through haproxy. */
  readonly proxiedUrl: string
  readonly #folder: string
  readonly #members: Member[]
  readonly #etcdPort: number
  readonly #proxyPort: number
  readonly #programs: Program[] = []

  static async start(): Promise<Cluster> {
    const folder = createFolder()
    const members = await Promise.all(MEMBERS.map((name) => Member.create(name, folder)))
    const cluster = new Cluster(folder, members, await freePort(), await freePort())
    try {
      await cluster.#start()
      return cluster
    } catch (error) {
      await cluster.close()
      throw error
    }
  }

  private constructor(folder: string, members: Member[], etcdPort: number, proxyPort: number) {
    this.#folder = folder
    this.#members = members
    this.#etcdPort = etcdPort
    this.#proxyPort = proxyPort
    const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(',')
    this.directUrl = `postgres://tenantry@${hosts}/tenantry`
    this.proxiedUrl = `postgres://tenantry@127.0.0.1:${proxyPort}/tenantry`
  }

  /** Runs a statement as the superuser, on the node that takes writes. */
  query: Query = async <Row extends object>(text: string, values: unknown[] = []) => {
    await this.settled()
    return this.#queryIn<Row>('tenantry', text, values)
  }

  /** Of the node that takes writes. Each promotion begins the next one. */
  async timeline(): Promise<number> {
    const rows = await this.#queryIn<{ timeline: number }>(
      'postgres',
      `select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer as timeline`,
    )
    return rows[0]?.timeline as number
  }

  async leader(): Promise<Member> {
    let leader: Member | undefined
    await until(async () => {
      for (const member of this.#members) if (await member.is('primary')) leader = member
      return leader !== undefined
    })
    return leader as Member
  }

  restart(member: Member): void {
    member.start(this.#etcdPort)
  }

  /** Resolves when one node leads and the others follow: a former leader takes itself for the leader for a moment. */
  async settled(): Promise<void> {
    await this.#until(async () => (await this.#are('primary')) === 1 && (await this.#are('replica')) === 2)
  }

  async #are(role: 'primary' | 'replica' | 'sync'): Promise<number> {
    const answers = await Promise.all(this.#members.map((member) => member.is(role)))
    return answers.filter(Boolean).length
  }

  async #until(condition: () => Promise<boolean>): Promise<void> {
    await until(condition, READY_MS_MAX).catch((error) => {
      throw new Error(`${error.message}\n${this.#members.map((member) => member.printed().slice(-1500)).join('\n')}`)
    })
  }

  async close(): Promise<void> {
    for (const member of this.#members) await member.kill()
    for (const program of this.#programs) await program.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #start(): Promise<void> {
    this.#programs.push(startProgram('etcd', await etcdArguments(this.#etcdPort), this.#folder))
    const file = path.join(this.#folder, 'haproxy.cfg')
    writeFileSync(file, haproxyConfiguration(this.#proxyPort, this.#members))
    this.#programs.push(startProgram('haproxy', ['-db', '-f', file], this.#folder))
    for (const member of this.#members) member.start(this.#etcdPort)
    await this.settled()
    await this.#until(async () => (await this.#are('sync')) > 0)
    await this.#queryIn('postgres', 'create role tenantry login')
    await this.#queryIn('postgres', 'create database tenantry owner tenantry')
    await this.#queryIn('postgres', rolesSql({ user: 'tenantry', database: 'tenantry' }))
  }

  async #queryIn<Row extends object>(database: string, text: string, values: unknown[] = []): Promise<Row[]> {
    const url = /^postgres:\/\/tenantry@(.*)\//.exec(this.directUrl)?.[1]
    const target = { connectionString: `postgres://postgres@${url}/${database}` }
    const client = await openClient(target, addressesOf(target)[0] as object)
    try {
      return (await client.query<Row & Record<string, unknown>>(text, values)).rows
    } finally {
      client.end().catch(() => {})
    }
  }
}

function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-cluster-'))
  const { uid, gid } = unprivilegedUser()
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  chmodSync(folder, 0o700)
  return folder
}

/** With the API of version 2, which Patroni uses here: see Member. */
async function etcdArguments(clientPort: number): Promise<string[]> {
  const client = `http://127.0.0.1:${clientPort}`
  const peer = `http://127.0.0.1:${await freePort()}`
  return [
    ...['--data-dir', 'etcd', '--enable-v2', '--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ]
}

/** As docs/operations.md shows it. */
function haproxyConfiguration(port: number, members: Member[]): string {
  return `defaults
    mode tcp
    timeout connect 1s
    timeout client 30m
    timeout server 30m
    timeout check 1s
listen postgres
    bind 127.0.0.1:${port}
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${members.map(({ name, port, restPort }) => `    server ${name} 127.0.0.1:${port} check port ${restPort}\n`).join('')}`
}
