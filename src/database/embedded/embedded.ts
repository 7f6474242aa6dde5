import { closeSync, mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { locateBinaries } from './binaries.ts'
import { type Cluster, ensureCluster, openFolder } from './cluster.ts'
import { EmbeddedError } from './error.ts'
import { selectOsUser } from './os-user.ts'
import { type Address, addressOf, provision } from './probe.ts'
import { type Supervisor, superviseServer } from './supervisor.ts'

export { EmbeddedError }

export interface EmbeddedOptions {
  /** The cluster is in `<dataDir>/postgres`, the server's log in `<dataDir>/postgres.log`. */
  dataDir: string
  /** The folder with initdb and postgres of another installation, for example `/usr/lib/postgresql/15/bin`. */
  binDir?: string
  /** More settings of the server, as `postgres -c` takes them. */
  settings?: Record<string, string>
  /** Called when the server has ended unexpectedly and is started again. */
  onRestart?: (reason: string) => void
}

/** The addresses are valid in this process only, until `stop`: on Linux they name one of its descriptors. */
export interface Embedded {
  /** As the service connects: a plain role that owns its database. */
  connection: Address
  /** As the superuser `postgres`, for tests and tools. */
  superuser: Address
  /** Such as `18.4`. */
  version: string
  /** Whether this process runs the server; false when another process does and this one only uses it. */
  readonly owner: boolean
  /** Stops the server and waits for its end, when this process runs it. */
  stop(): Promise<void>
}

/**
 * Starts the embedded PostgreSQL, for development, tests and trials. The server ends with this process, however that
 * ends. A second process on the same folder uses the server of the first, and does not take over when the first one
 * ends. Throws an EmbeddedError when the server can't run.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  try {
    const cluster = openCluster(options)
    return await serve(cluster, options.onRestart).catch((error: unknown) => {
      closeSync(cluster.folder.fd)
      throw error
    })
  } catch (error) {
    throw asOperatorError(error, options.dataDir)
  }
}

function openCluster({ dataDir, binDir, settings = {} }: EmbeddedOptions): Cluster {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const parent = realpathSync(dataDir)
  const dir = join(parent, 'postgres')
  const user = selectOsUser(dir)
  const binaries = locateBinaries(user, binDir)
  ensureCluster(dir, binaries, user)

  return { dir, logFile: join(parent, 'postgres.log'), folder: openFolder(dir), user, binaries, settings }
}

async function serve(cluster: Cluster, onRestart?: (reason: string) => void): Promise<Embedded> {
  const { fd, path: host } = cluster.folder
  const supervisor = await superviseServer(cluster, onRestart)
  if (!supervisor.server.provisioned) {
    await provision(host).catch((error: unknown) => stopAndThrow(supervisor, error))
  }

  let stopped: Promise<void> | undefined
  return {
    connection: addressOf(host, 'tenantry'),
    superuser: addressOf(host, 'postgres'),
    version: supervisor.server.version,
    get owner() {
      return supervisor.owner
    },
    stop() {
      stopped ??= supervisor.stop().finally(() => closeSync(fd))
      return stopped
    },
  }
}

async function stopAndThrow(supervisor: Supervisor, error: unknown): Promise<never> {
  await supervisor.stop()
  throw error
}

/** The operator can solve what the file system or the server refuses. Any other error is a bug and stays as it is. */
function asOperatorError(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error && 'code' in error) || /^ERR_/.test(String(error.code))) return error
  const hint = 'check that the folder is writable and the disk has free space, or choose another DATA_DIR'
  const message = `The embedded PostgreSQL can't start in ${dataDir} (${error.message}): ${hint}`
  return new EmbeddedError(message, { cause: error })
}
