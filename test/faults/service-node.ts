import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './free-port.ts'

const root = path.join(import.meta.dirname, '..', '..')
const START_MS_MAX = 30_000
const POLL_MS = 50
const LOG_KEPT = 200_000

/** The service in a process of its own, at one port for all of its starts. */
export interface ServiceNode {
  port: number
  /** Such as `http://127.0.0.1:3000/api`. */
  address: string
  /** The end of what it has printed. */
  log(): string
  /** Resolves when it is ready. */
  start(): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** Waits for its end; returns the exit code, or the signal that ended it. */
  ended(): Promise<number | string | null>
  kill(): Promise<void>
  close(): Promise<void>
}

export async function createServiceNode(settings: Record<string, string>): Promise<ServiceNode> {
  return new Node(await freePort(), settings)
}

class Node implements ServiceNode {
  readonly port: number
  readonly address: string
  readonly #settings: Record<string, string>
  readonly #dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-node-'))
  #child: ChildProcess | undefined
  #printed = ''

  constructor(port: number, settings: Record<string, string>) {
    this.port = port
    this.address = `http://127.0.0.1:${port}/api`
    this.#settings = settings
  }

  log(): string {
    return this.#printed
  }

  async start(): Promise<void> {
    const env = { PATH: process.env.PATH, NODE_ENV: 'test', PORT: String(this.port), DATA_DIR: this.#dataDir }
    const child = spawn(process.execPath, ['--import', './scripts/boot.mjs', 'src/main.ts'], {
      cwd: root,
      env: { ...env, ...this.#settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const keep = (text: Buffer) => {
      this.#printed = (this.#printed + text).slice(-LOG_KEPT)
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    this.#child = child
    for (const deadline = Date.now() + START_MS_MAX; !(await this.#isReady()); await pause(POLL_MS)) {
      if (!this.#isRunning) throw new Error(`The service ended at its start: ${this.#printed.slice(-2000)}`)
      if (Date.now() > deadline) throw new Error(`The service did not start: ${this.#printed.slice(-2000)}`)
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  async ended(): Promise<number | string | null> {
    if (!this.#child) return null
    if (this.#isRunning) await once(this.#child, 'exit')
    return this.#child.exitCode ?? this.#child.signalCode
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.ended()
  }

  async close(): Promise<void> {
    await this.kill()
    rmSync(this.#dataDir, { recursive: true, force: true })
  }

  get #isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null
  }

  async #isReady(): Promise<boolean> {
    const answer = await fetch(`${this.address}/health/ready`).catch(() => undefined)
    await answer?.arrayBuffer()
    return answer?.status === 200
  }
}
