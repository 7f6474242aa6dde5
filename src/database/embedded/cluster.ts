import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Programs } from './binaries.ts'
import { EmbeddedError } from './error.ts'
import { lend, type Runner, run } from './os-user.ts'

/** Everything it takes to run a server: the data, who runs it, and with which programs. */
export interface Cluster {
  home: string
  log: string
  folder: OpenFolder
  runner: Runner
  programs: Programs
  settings: Record<string, string>
}

/**
 * A folder as an open descriptor. On Linux both sides reach it through the descriptor: nobody has to walk its path, which
 * may lead through folders that only root may enter, and which may be longer than the 107 bytes a socket's name can have.
 */
interface OpenFolder {
  fd: number
  ours: string
  theirs: string
}

const abandonedAfterMs = 10 * 60_000
const writtenWithinMs = 2_000

export function openFolder(path: string): OpenFolder {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  if (process.platform !== 'linux') return { fd, ours: path, theirs: path }
  return { fd, ours: `/proc/self/fd/${fd}`, theirs: '/proc/self/fd/3' }
}

/** Made beside its place and renamed when complete: there is never half a cluster, and of several makers one wins. */
export function ensureCluster(home: string, programs: Programs, runner: Runner): void {
  if (isMissing(home)) {
    removeAbandoned(home)
    const fresh = mkdtempSync(`${home}.new-`)
    try {
      initialize(fresh, programs, runner)
      renameSync(fresh, home)
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true })
      if (isMissing(home)) throw error // Otherwise another process was faster.
    }
  }
  assertSameMajor(home, programs)
}

/** An empty folder counts as none: somebody may have prepared it. */
function isMissing(home: string): boolean {
  return !existsSync(home) || readdirSync(home).length === 0
}

function initialize(fresh: string, programs: Programs, runner: Runner): void {
  const folder = openFolder(fresh)
  try {
    lend(folder.fd, runner)
    let why = ''
    for (const locale of locales(programs.major)) {
      const flags = ['-D', folder.theirs, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N', '--no-instructions']
      const { status, stderr, error } = run(runner, programs.initdb, [...flags, ...locale], folder.fd)
      if (status === 0) return
      why = error?.message ?? lastLine(stderr)
    }
    throw new EmbeddedError(`${programs.initdb} could not make a database in ${dirname(fresh)}: ${why}`)
  } finally {
    closeSync(folder.fd)
  }
}

/**
 * Sorting by code point, letters as Unicode knows them, and the same on every machine. Before 17 the letters come from the
 * operating system, where C.UTF-8 may be missing.
 */
function locales(major: number): string[][] {
  if (major >= 17) return [['--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']]
  return [['--locale=C', '--lc-ctype=C.UTF-8'], ['--no-locale']]
}

function assertSameMajor(home: string, programs: Programs): void {
  const major = majorOf(home)
  if (!major) {
    throw new EmbeddedError(
      `${home} is in the way and holds no PostgreSQL data: move it away, or choose another DATA_DIR`,
    )
  }
  if (major !== String(programs.major)) {
    throw new EmbeddedError(
      `${home} was made by PostgreSQL ${major} and can't be opened by ${programs.major}: ` +
        `run it with PostgreSQL ${major}, or move it away to begin anew`,
    )
  }
}

function removeAbandoned(home: string): void {
  const parent = dirname(home)
  for (const name of readdirSync(parent).filter((name) => name.startsWith(`${basename(home)}.new-`))) {
    const folder = join(parent, name)
    const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - changed > abandonedAfterMs) rmSync(folder, { recursive: true, force: true })
  }
}

function majorOf(home: string): string | undefined {
  return read(join(home, 'PG_VERSION'))?.trim()
}

/** Whether a server runs here, or is about to. */
export function isLocked(home: string): boolean {
  return existsSync(join(home, 'postmaster.pid'))
}

/**
 * After a kill -9 the lock files stay behind, and the server refuses to start while any process of its user has the number
 * in them, be it a shell. Each is removed only if its process is no server of this folder.
 */
export function removeStaleLocks(home: string): void {
  if (process.platform !== 'linux') return
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    const lock = join(home, name)
    const text = read(lock)
    if (text === undefined || isBeingWritten(lock, text) || isServerOf(home, Number.parseInt(text, 10))) continue
    removeLock(lock, text)
  }
}

/** A server makes its lock file first and writes its number then. */
function isBeingWritten(lock: string, text: string): boolean {
  const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  return text === '' && Date.now() - made < writtenWithinMs
}

/** Taken away by its name first: what another process wrote there in the meantime is put back. */
function removeLock(lock: string, judged: string): void {
  const taken = `${lock}.${process.pid}`
  try {
    renameSync(lock, taken)
  } catch {
    return // Somebody else removed it.
  }
  if (read(taken) !== judged) linkSync(taken, lock)
  rmSync(taken)
}

function isServerOf(home: string, pid: number): boolean {
  const status = read(`/proc/${pid}/stat`) // 4711 (postgres) S …
  if (!status || !/^\d+ \(postgres\) [^ZX]/.test(status)) return false
  try {
    const works = statSync(`/proc/${pid}/cwd`) // A server works in its data folder.
    const data = statSync(home)
    return works.ino === data.ino && works.dev === data.dev
  } catch {
    return true // We may not look (root in a container): believe the name.
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
