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
import type { Binaries } from './binaries.ts'
import { EmbeddedError } from './error.ts'
import { grant, type OsUser, run } from './os-user.ts'

/** A database cluster, in PostgreSQL's sense, with all that a server for it needs. */
export interface Cluster {
  /** The path of the data folder. */
  dir: string
  /** The path of the server's log file. */
  logFile: string
  folder: OpenFolder
  user: OsUser
  binaries: Binaries
  /** Settings of the server, by name, as `postgres -c` takes them. */
  settings: Record<string, string>
}

/**
 * The data folder as an open descriptor. On Linux this process and the server reach it through the descriptor, because
 * its path may lead through folders that only root can enter, and may exceed the 107 bytes of a socket's name.
 */
interface OpenFolder {
  fd: number
  /** A path to the folder that is valid in this process. */
  path: string
  /** A path to the folder that is valid in a child process with the folder as its descriptor 3. */
  pathInChild: string
}

const OWN_DESCRIPTORS = '/proc/self/fd/'
/** An unfinished cluster of this age is left over from a process that has ended. */
const ABANDONED_AFTER_MS = 10 * 60_000
/** A server writes its process id within this time after it has created its lock file. */
const LOCK_WRITTEN_WITHIN_MS = 2_000

export function openFolder(path: string): OpenFolder {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  if (process.platform !== 'linux') return { fd, path, pathInChild: path }
  return { fd, path: `${OWN_DESCRIPTORS}${fd}`, pathInChild: '/proc/self/fd/3' }
}

/** The path of a folder that this process has opened, as other processes can use it while this one lives. */
export const pathElsewhere = (path: string): string => path.replace(OWN_DESCRIPTORS, `/proc/${process.pid}/fd/`)

/**
 * Makes the cluster when its folder is missing or empty. It is made under a temporary name and renamed, so that an
 * incomplete cluster never has the final name, and of several processes that make one at once a single one succeeds.
 * Throws an EmbeddedError when the folder holds other files, or data of another major version.
 */
export function ensureCluster(dir: string, binaries: Binaries, user: OsUser): void {
  if (isMissing(dir)) {
    removeAbandoned(dir)
    const temporaryDir = mkdtempSync(`${dir}.new-`)
    try {
      initialize(temporaryDir, binaries, user)
      renameSync(temporaryDir, dir)
    } catch (error) {
      rmSync(temporaryDir, { recursive: true, force: true })
      if (isMissing(dir)) throw error // Otherwise another process has made the cluster in the meantime.
    }
  }
  assertSameMajor(dir, binaries)
}

/** An empty folder counts as missing, because an operator may have made it for a volume. */
function isMissing(dir: string): boolean {
  return !existsSync(dir) || readdirSync(dir).length === 0
}

function initialize(dir: string, binaries: Binaries, user: OsUser): void {
  const folder = openFolder(dir)
  try {
    grant(folder.fd, user)
    let reason = ''
    for (const locale of localeFlags(binaries.major)) {
      const flags = ['-D', folder.pathInChild, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N', '--no-instructions']
      const { status, stderr, error } = run(user, binaries.initdb, [...flags, ...locale], folder.fd)
      if (status === 0) return
      reason = error?.message ?? causeIn(stderr)
    }
    throw new EmbeddedError(`${binaries.initdb} could not create a database cluster in ${dirname(dir)}: ${reason}`)
  } finally {
    closeSync(folder.fd)
  }
}

/**
 * Flags of initdb to try in this order. They give sorting by code point and Unicode's character classes, the same on
 * every machine. Before PostgreSQL 17 the classes come from the operating system, which may lack C.UTF-8.
 */
function localeFlags(major: number): string[][] {
  if (major >= 17) return [['--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']]
  return [['--locale=C', '--lc-ctype=C.UTF-8'], ['--no-locale']]
}

function assertSameMajor(dir: string, binaries: Binaries): void {
  const major = majorOf(dir)
  if (!major) {
    throw new EmbeddedError(
      `${dir} is not empty and holds no PostgreSQL data: move it away, or choose another DATA_DIR`,
    )
  }
  if (major !== String(binaries.major)) {
    throw new EmbeddedError(
      `${dir} was made by PostgreSQL ${major} and can't be opened by PostgreSQL ${binaries.major}: ` +
        `run it with PostgreSQL ${major}, or move it away to start with empty data`,
    )
  }
}

function removeAbandoned(dir: string): void {
  const parent = dirname(dir)
  for (const name of readdirSync(parent).filter((name) => name.startsWith(`${basename(dir)}.new-`))) {
    const temporaryDir = join(parent, name)
    const changedAtMs = statSync(temporaryDir, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (Date.now() - changedAtMs > ABANDONED_AFTER_MS) rmSync(temporaryDir, { recursive: true, force: true })
  }
}

function majorOf(dir: string): string | undefined {
  return readIfPresent(join(dir, 'PG_VERSION'))?.trim()
}

/** Whether a server runs on this cluster, or is starting. */
export function isLocked(dir: string): boolean {
  return existsSync(join(dir, 'postmaster.pid'))
}

/**
 * Removes lock files whose process is no server of this cluster. After a `kill -9` they stay behind, and a server
 * refuses to start while any process of its user, even a shell, has the process id in them.
 */
export function removeStaleLocks(dir: string): void {
  if (process.platform !== 'linux') return
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    const lock = join(dir, name)
    const content = readIfPresent(lock)
    if (content === undefined || isBeingWritten(lock, content)) continue
    if (!isServerOf(dir, Number.parseInt(content, 10))) removeLock(lock, content)
  }
}

/** A server creates its lock file first and then writes its process id into it. */
function isBeingWritten(lock: string, content: string): boolean {
  const createdAtMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  return content === '' && Date.now() - createdAtMs < LOCK_WRITTEN_WITHIN_MS
}

/**
 * Renames the lock before it compares the content, so that a lock that another process has just written is put back.
 */
function removeLock(lock: string, staleContent: string): void {
  const renamed = `${lock}.${process.pid}`
  try {
    renameSync(lock, renamed)
  } catch {
    return // Another process has removed it.
  }
  if (readIfPresent(renamed) !== staleContent) linkSync(renamed, lock)
  rmSync(renamed)
}

function isServerOf(dir: string, pid: number): boolean {
  const status = readIfPresent(`/proc/${pid}/stat`) // 4711 (postgres) S …
  if (!status || !/^\d+ \(postgres\) [^ZX]/.test(status)) return false
  try {
    const workingDir = statSync(`/proc/${pid}/cwd`) // The working directory of a server is its data folder.
    const dataDir = statSync(dir)
    return workingDir.ino === dataDir.ino && workingDir.dev === dataDir.dev
  } catch {
    return true // Root in a container may not read it: then the name of the process decides.
  }
}

/** The first error that a program names: after it, it still tells what it cleans up. */
function causeIn(text: string): string {
  const lines = text.trim().split('\n')
  return /\b(FATAL|PANIC|ERROR|error): .*/.exec(text)?.[0] ?? lines.at(-1) ?? ''
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
