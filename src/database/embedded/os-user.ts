import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync, fchownSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { EmbeddedError } from './error.ts'

/** As whom the programs run: PostgreSQL refuses root, so root lends it another user. */
export interface Runner {
  uid: number | undefined
  gid: number | undefined
  prefix: string[]
}

/** The user without rights, by number: it needs no entry in /etc/passwd. */
const nobody = 65534

export const environment = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' }

export function whoRuns(home: string): Runner {
  const me = process.getuid?.()
  if (me === undefined) {
    throw new EmbeddedError(
      'The embedded PostgreSQL runs on Linux and macOS only: set DATABASE_URL to a server of yours',
    )
  }
  return me === 0 ? lentByRoot(home) : ourselves(home, me)
}

/** Runs a program to its end. An open folder, if given, is its descriptor 3. */
export function run(runner: Runner, program: string, args: string[], folder?: number): SpawnSyncReturns<string> {
  const [command, ...rest] = commandLine(runner, program, args)
  const { uid, gid } = runner
  const stdio = ['ignore', 'pipe', 'pipe', folder ?? 'ignore'] as const
  return spawnSync(command, rest, { uid, gid, cwd: '/', env: environment, encoding: 'utf8', stdio: [...stdio] })
}

/** Gives the runner an open file of root's. By descriptor, as a path could be made to lead elsewhere. */
export function lend(fd: number, { uid, gid }: Runner): void {
  if (uid !== undefined && gid !== undefined) fchownSync(fd, uid, gid)
}

export function commandLine(runner: Runner, program: string, args: string[]): [string, ...string[]] {
  const [wrapper, ...rest] = runner.prefix
  return wrapper === undefined ? [program, ...args] : [wrapper, ...rest, program, ...args]
}

function ourselves(home: string, me: number): Runner {
  const owner = statSync(home, { throwIfNoEntry: false })?.uid
  if (owner !== undefined && owner !== me) {
    throw new EmbeddedError(
      `${home} belongs to user ${owner}: start as that user or as root, or choose another DATA_DIR`,
    )
  }
  return { uid: undefined, gid: undefined, prefix: [] }
}

function lentByRoot(home: string): Runner {
  if (process.platform !== 'linux') {
    throw new EmbeddedError('PostgreSQL never runs as root: start as an ordinary user, or set DATABASE_URL')
  }
  const data = existsSync(join(home, 'PG_VERSION')) ? statSync(home) : undefined
  const lent: Runner = { uid: data?.uid || nobody, gid: data?.gid || nobody, prefix: [] }
  if (!canBecome(lent)) return seenAsNobody

  if (data?.uid === 0) {
    throw new EmbeddedError(
      `${home} belongs to root, as whom PostgreSQL never runs: chown -R ${nobody}:${nobody} ${home}`,
    )
  }
  return lent
}

function canBecome(runner: Runner): boolean {
  return run(runner, '/bin/sh', ['-c', ':']).status === 0
}

/** For sandboxes that know no user but root: the files stay root's, only the programs believe to be somebody else. */
const seenAsNobody: Runner = {
  uid: undefined,
  gid: undefined,
  prefix: ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`],
}
