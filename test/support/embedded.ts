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

type StartOptions = Partial<EmbeddedOptions>

/** The installations of PostgreSQL on this machine. Without a folder the binaries of the npm package are found. */
export const installations: Pick<EmbeddedOptions, 'binDir'>[] = [{}, ...systemInstallations()]
const started: Embedded[] = []
const children: ChildProcess[] = []
const folders: string[] = []
let preparedDir: string | undefined

/** Removes each folder after its server has ended, because a server that is shutting down still writes into it. */
export async function cleanUp(): Promise<void> {
  for (const child of children.splice(0)) await kill(child)
  for (const embedded of started.splice(0)) await embedded.stop()
  for (const folder of folders.splice(0)) {
    await until(() => !existsSync(lockFileOf(folder)) || !isAlive(serverPid(folder)))
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function start({ dataDir = createFolder(), settings, ...rest }: StartOptions): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir, settings: { fsync: 'off', ...settings }, ...rest })
  started.push(embedded)
  return embedded
}

export async function assertRefused(options: EmbeddedOptions, message: RegExp): Promise<void> {
  await assert.rejects(start(options), (error) => {
    assert.ok(error instanceof EmbeddedError)
    assert.match(error.message, message)
    assert.doesNotMatch(error.message, /\n/)
    return true
  })
}

/** Starts the embedded PostgreSQL in another process, which keeps running. Returns its role: `owner` or `guest`. */
export async function startInProcess(options: EmbeddedOptions): Promise<{ child: ChildProcess; role: string }> {
  const code = `
    import { startEmbedded } from ${JSON.stringify(import.meta.resolve('../../src/database/embedded/embedded.ts'))}
    const { owner } = await startEmbedded(${JSON.stringify({ ...options, settings: { fsync: 'off' } })})
    console.log(owner ? 'owner' : 'guest')
    process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  for await (const role of createInterface(child.stdout)) return { child, role }
  throw new Error('The process printed nothing')
}

/** Starts a process that is no PostgreSQL, as this user. Returns its process id. */
export function startOtherProgram(uid: number, gid: number): number | undefined {
  const child = spawn('sleep', ['60'], { uid, gid, cwd: '/' })
  children.push(child)
  return child.pid
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

export async function queryRow(embedded: Embedded, text: string): Promise<object | undefined> {
  const client = new pg.Client(embedded.connection)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<object>(text)).rows[0]
  } finally {
    await client.end()
  }
}

export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenantry-embedded-'))
  folders.push(folder)
  return folder
}

/** Makes a data folder with a cluster: a copy of one that is made once, because that is faster than a first start. */
export async function createPreparedFolder(): Promise<string> {
  if (!preparedDir) {
    preparedDir = createFolder()
    await (await start({ dataDir: preparedDir })).stop()
    folders.splice(folders.indexOf(preparedDir), 1)
  }
  const copy = createFolder()
  execFileSync('cp', ['-a', join(preparedDir, 'postgres'), copy])
  return copy
}

export function removePreparedFolder(): void {
  if (preparedDir) rmSync(preparedDir, { recursive: true, force: true })
}

export function lockFileOf(dataDir: string): string {
  return join(dataDir, 'postgres', 'postmaster.pid')
}

export function serverPid(dataDir: string): number {
  return Number.parseInt(readFileSync(lockFileOf(dataDir), 'utf8'), 10)
}

/** The group of a process as Linux tells it: the third field after the name, which may hold spaces. */
export function processGroup(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function systemInstallations(): { binDir: string }[] {
  const debian = '/usr/lib/postgresql'
  const majors = existsSync(debian) ? readdirSync(debian) : []
  const binDirs = majors.map((major) => join(debian, major, 'bin')).filter((dir) => existsSync(join(dir, 'initdb')))
  return binDirs.map((binDir) => ({ binDir }))
}
