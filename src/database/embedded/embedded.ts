import { closeSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { findPrograms } from './binaries.ts'
import { type Cluster, ensureCluster, openFolder } from './cluster.ts'
import { EmbeddedError } from './error.ts'
import { whoRuns } from './os-user.ts'
import { type Address, address, furnish } from './probe.ts'
import { type Keeper, keepServer } from './supervisor.ts'

export { EmbeddedError }

export interface EmbeddedOptions {
  /** The cluster lives in `<dataDir>/postgres`, the server's log in `<dataDir>/postgres.log`. */
  dataDir: string
  /** The folder with initdb and postgres of another installation, for example `/usr/lib/postgresql/15/bin`. */
  programs?: string
  /** More settings for the server, as `postgres -c` takes them. */
  settings?: Record<string, string>
  /** Told when the server ended unexpectedly and is started again. */
  onRestart?: (reason: string) => void
}

/** The addresses are for this process only, until `stop`: on Linux they name one of its descriptors. */
export interface Embedded {
  connection: Address
  /** The superuser, for tests and tools. */
  administrator: Address
  version: string
  /** False when another process runs this cluster and we are its guest. */
  readonly owner: boolean
  /** The owner shuts the server down and waits, a guest lets go. */
  stop(): Promise<void>
}

/**
 * Starts a PostgreSQL of our own, for development, tests and small trials. It ends when this process ends, however that
 * happens. A second process on the same folder becomes a guest of the first; guests do not take over.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  try {
    const cluster = openCluster(options)
    return await serve(cluster, options.onRestart).catch((error: unknown) => {
      closeSync(cluster.folder.fd)
      throw error
    })
  } catch (error) {
    throw forPeople(error, options.dataDir)
  }
}

function openCluster({ dataDir, programs: given, settings = {} }: EmbeddedOptions): Cluster {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const parent = realpathSync(dataDir)
  const home = join(parent, 'postgres')
  const runner = whoRuns(home)
  const programs = findPrograms(runner, given)
  ensureCluster(home, programs, runner)

  return { home, log: join(parent, 'postgres.log'), folder: openFolder(home), runner, programs, settings }
}

async function serve(cluster: Cluster, onRestart?: (reason: string) => void): Promise<Embedded> {
  const { fd, ours: host } = cluster.folder
  const keeper = await keepServer(cluster, onRestart)
  if (!keeper.greeting.furnished) await furnish(host).catch((error: unknown) => giveUp(keeper, error))

  let stopped: Promise<void> | undefined
  return {
    connection: address(host, 'tenantry'),
    administrator: address(host, 'postgres'),
    version: keeper.greeting.version,
    get owner() {
      return keeper.owner
    },
    stop() {
      stopped ??= keeper.stop().finally(() => closeSync(fd))
      return stopped
    },
  }
}

async function giveUp(keeper: Keeper, error: unknown): Promise<never> {
  await keeper.stop()
  throw error
}

/** Whatever the file system or the server refuses is the person's to solve; anything else is a bug and stays as it is. */
function forPeople(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error && 'code' in error) || /^ERR_/.test(String(error.code))) return error
  const hint = 'see that the folder can be written and the disk has room, or choose another DATA_DIR'
  const sentence = `The embedded PostgreSQL can't start in ${dataDir} (${error.message}): ${hint}`
  return new EmbeddedError(sentence, { cause: error })
}
