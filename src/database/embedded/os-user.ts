import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync, fchownSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { EmbeddedError } from './error.ts'

/** The operating system user that PostgreSQL runs as. PostgreSQL refuses root, so root picks another user. */
export interface OsUser {
  /** Undefined: the user of this process. */
  uid: number | undefined
  gid: number | undefined
  /** A command, with its arguments, that every program is started by. */
  prefix: string[]
}

/** The unprivileged user `nobody`, by number, so that it needs no entry in /etc/passwd. */
const UNPRIVILEGED_ID = 65534

/** The whole environment of PostgreSQL's processes; variables such as PGPORT are not passed on. */
export const ENVIRONMENT = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' }

/** The user to run PostgreSQL as, for the data in `clusterDir`. Throws an EmbeddedError when none can. */
export function selectOsUser(clusterDir: string): OsUser {
  const uid = process.getuid?.()
  if (uid === undefined) {
    throw new EmbeddedError(
      'The embedded PostgreSQL runs on Linux and macOS only: set DATABASE_URL to your own PostgreSQL server',
    )
  }
  return uid === 0 ? userForRoot(clusterDir) : currentUser(clusterDir, uid)
}

/** Runs a program to its end. `folderFd`, when passed, is its descriptor 3. */
export function run(user: OsUser, program: string, args: string[], folderFd?: number): SpawnSyncReturns<string> {
  const [command, ...rest] = commandLine(user, program, args)
  const { uid, gid } = user
  const stdio = ['ignore', 'pipe', 'pipe', folderFd ?? 'ignore'] as const
  return spawnSync(command, rest, { uid, gid, cwd: '/', env: ENVIRONMENT, encoding: 'utf8', stdio: [...stdio] })
}

/**
 * Makes the user the owner of an open file of root. By descriptor, because a path could be redirected by a symbolic
 * link.
 */
export function grant(fd: number, { uid, gid }: OsUser): void {
  if (uid !== undefined && gid !== undefined) fchownSync(fd, uid, gid)
}

export function commandLine(user: OsUser, program: string, args: string[]): [string, ...string[]] {
  const [wrapper, ...rest] = user.prefix
  return wrapper === undefined ? [program, ...args] : [wrapper, ...rest, program, ...args]
}

function currentUser(clusterDir: string, uid: number): OsUser {
  const ownerUid = statSync(clusterDir, { throwIfNoEntry: false })?.uid
  if (ownerUid !== undefined && ownerUid !== uid) {
    throw new EmbeddedError(
      `${clusterDir} belongs to user ${ownerUid}: start as that user or as root, or choose another DATA_DIR`,
    )
  }
  return { uid: undefined, gid: undefined, prefix: [] }
}

function userForRoot(clusterDir: string): OsUser {
  if (process.platform !== 'linux') {
    throw new EmbeddedError('PostgreSQL never runs as root: start as an ordinary user, or set DATABASE_URL')
  }
  const data = existsSync(join(clusterDir, 'PG_VERSION')) ? statSync(clusterDir) : undefined
  const user: OsUser = { uid: data?.uid || UNPRIVILEGED_ID, gid: data?.gid || UNPRIVILEGED_ID, prefix: [] }
  if (!canRunAs(user)) return USER_NAMESPACE

  if (data?.uid === 0) {
    throw new EmbeddedError(
      `${clusterDir} belongs to root, and PostgreSQL never runs as root: ` +
        `chown -R ${UNPRIVILEGED_ID}:${UNPRIVILEGED_ID} ${clusterDir}`,
    )
  }
  return user
}

function canRunAs(user: OsUser): boolean {
  return run(user, '/bin/sh', ['-c', ':']).status === 0
}

/**
 * For sandboxes in which root is the only user: PostgreSQL runs in a user namespace, where its user seems to be an
 * unprivileged one. The files keep belonging to root.
 */
const USER_NAMESPACE: OsUser = {
  uid: undefined,
  gid: undefined,
  prefix: ['unshare', '--user', `--map-user=${UNPRIVILEGED_ID}`, `--map-group=${UNPRIVILEGED_ID}`],
}
