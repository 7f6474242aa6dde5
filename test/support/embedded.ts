import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import {
  type Embedded,
  EmbeddedError,
  type EmbeddedOptions,
  startEmbedded,
} from '../../src/database/embedded/embedded.ts'
import { until } from './until.ts'

/** Undefined is what the launcher finds by itself: the npm package first. */
export const installations = [undefined, ...systemPrograms()]
const started: Embedded[] = []
const children: ChildProcess[] = []
const folders: string[] = []
let model: string | undefined

/** A folder goes only when its server has ended: one that is still shutting down would write into it again. */
export async function cleanUp(): Promise<void> {
  for (const child of children.splice(0)) await kill(child)
  for (const embedded of started.splice(0)) await embedded.stop()
  for (const folder of folders.splice(0)) {
    await until(() => !existsSync(lockOf(folder)) || !isAlive(serverOf(folder)))
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function start({ dataDir, programs, settings, onRestart }: Partial<EmbeddedOptions>): Promise<Embedded> {
  const fast = { fsync: 'off', ...settings }
  const embedded = await startEmbedded({ dataDir: dataDir ?? folder(), programs, onRestart, settings: fast })
  started.push(embedded)
  return embedded
}

export async function refuses(options: EmbeddedOptions, sentence: RegExp): Promise<void> {
  await assert.rejects(start(options), (error) => {
    assert.ok(error instanceof EmbeddedError)
    assert.match(error.message, sentence)
    assert.doesNotMatch(error.message, /\n/)
    return true
  })
}

/** Another process that starts the launcher and lives on. */
export async function service(dataDir: string, programs?: string): Promise<{ child: ChildProcess; role: string }> {
  const code = `
    import { startEmbedded } from ${JSON.stringify(import.meta.resolve('../../src/database/embedded/embedded.ts'))}
    const { owner } = await startEmbedded(${JSON.stringify({ dataDir, programs, settings: { fsync: 'off' } })})
    console.log(owner ? 'owner' : 'guest')
    process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  for await (const role of createInterface(child.stdout)) return { child, role }
  throw new Error('the service said nothing')
}

/** A process that has nothing to do with the database. */
export function stranger(uid: number, gid: number): number | undefined {
  const child = spawn('sleep', ['60'], { uid, gid, cwd: '/' })
  children.push(child)
  return child.pid
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

export async function query(embedded: Embedded, text: string): Promise<object | undefined> {
  const client = new pg.Client(embedded.connection)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<object>(text)).rows[0]
  } finally {
    await client.end()
  }
}

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tenantry-embedded-'))
  folders.push(path)
  return path
}

/** A folder with a cluster in it, copied from one that was made once: quicker than a first start in every test. */
export async function prepared(): Promise<string> {
  if (!model) {
    model = folder()
    await (await start({ dataDir: model })).stop()
    folders.splice(folders.indexOf(model), 1)
  }
  const copy = folder()
  execFileSync('cp', ['-a', join(model, 'postgres'), copy])
  return copy
}

export function removeModel(): void {
  if (model) rmSync(model, { recursive: true, force: true })
}

export function lockOf(dataDir: string): string {
  return join(dataDir, 'postgres', 'postmaster.pid')
}

export function serverOf(dataDir: string): number {
  return Number.parseInt(readFileSync(lockOf(dataDir), 'utf8'), 10)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function systemPrograms(): string[] {
  const debian = '/usr/lib/postgresql'
  const majors = existsSync(debian) ? readdirSync(debian) : []
  return majors.map((major) => join(debian, major, 'bin')).filter((bin) => existsSync(join(bin, 'initdb')))
}
