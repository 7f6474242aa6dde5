import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, isLocked } from './cluster.ts'
import { EmbeddedError } from './error.ts'
import { type ProbeResult, probe, type ServerState } from './probe.ts'
import { launch, launcherPid, type ServerProcess } from './server-process.ts'

/** Keeps a server running on the cluster for as long as this process owns it. */
export interface Supervisor {
  /** The server as it was when it first answered. */
  server: ServerState
  readonly owner: boolean
  stop(): Promise<void>
}

/** How long a start may take; recovery after a crash reads the whole write-ahead log since the last checkpoint. */
const START_MS_MAX = 60_000
const RESTART_DELAY_MS_MIN = 250
const RESTART_DELAY_MS_MAX = 5_000
/** A server that ran for this long counts as healthy: the next restart begins with the shortest delay. */
const STABLE_AFTER_MS = 10_000
/** A server ends within this time after its owner has ended. */
const ORPHAN_MS_MAX = 5_000
const PROBE_INTERVAL_MS = 10
/** Before another launch, when another process is starting or stopping a server on this cluster. */
const LAUNCH_RETRY_DELAY_MS = 50

/** Resolves when a server answers. Throws an EmbeddedError when none can be started. */
export async function superviseServer(cluster: Cluster, onRestart?: (reason: string) => void): Promise<Supervisor> {
  const stopping = new AbortController()
  const first = await bringUp(cluster, stopping.signal)
  let ownServer = first.ownServer
  const watching = watch()

  return {
    server: first.server,
    get owner() {
      return ownServer !== undefined
    },
    async stop() {
      stopping.abort()
      await ownServer?.stop()
      await watching
    },
  }

  /** Ends with `stop`, or when another process has started the server again, which this process then only uses. */
  async function watch(): Promise<void> {
    let delayMs = RESTART_DELAY_MS_MIN
    while (ownServer) {
      const startedAt = Date.now()
      const reason = await ownServer.ended
      if (Date.now() - startedAt > STABLE_AFTER_MS) delayMs = RESTART_DELAY_MS_MIN
      delayMs = await restart(reason, delayMs)
      if (stopping.signal.aborted) return
    }
  }

  /** Tries until a server answers or `stop` is called. Returns the delay before the next restart, in milliseconds. */
  async function restart(lastReason: string, lastDelayMs: number): Promise<number> {
    let [reason, delayMs] = [lastReason, lastDelayMs]
    while (await delay(delayMs, stopping.signal)) {
      onRestart?.(reason)
      delayMs = Math.min(delayMs * 2, RESTART_DELAY_MS_MAX)
      try {
        ownServer = (await bringUp(cluster, stopping.signal)).ownServer
        return delayMs
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error) // The service keeps running, so the loop goes on.
      }
    }
    return delayMs
  }
}

interface RunningServer {
  server: ServerState
  /** Undefined when another process runs the server. */
  ownServer: ServerProcess | undefined
}

/** Resolves when a server answers, be it of this process or of another one. */
async function bringUp(cluster: Cluster, stop: AbortSignal): Promise<RunningServer> {
  const startedAt = Date.now()
  let ownServer: ServerProcess | undefined
  try {
    for (;;) {
      const result = ignoreOrphan(await probe(cluster.folder.path), startedAt)
      if (result.state === 'up') return { server: result, ownServer: await stopIfDuplicate(result, ownServer) }

      if (stop.aborted) throw new EmbeddedError('Stopped while PostgreSQL was starting')
      if (Date.now() - startedAt > START_MS_MAX) throw notAnswering(cluster, result.reason)
      if (result.state === 'absent' && !ownServer?.running) {
        if (ownServer) await assertRetryable(cluster, ownServer)
        ownServer = launch(cluster)
      }
      await sleep(PROBE_INTERVAL_MS)
    }
  } catch (error) {
    await ownServer?.stop()
    throw error
  }
}

/**
 * The server of a process that was just killed answers for another moment, and must not be used. An owner that is still
 * not visible after that runs elsewhere, in another container, and its server can be used.
 */
function ignoreOrphan(result: ProbeResult, startedAt: number): ProbeResult {
  if (result.state !== 'up' || Date.now() - startedAt > ORPHAN_MS_MAX) return result
  return isAlive(launcherPid(result.launchId)) ? result : { state: 'busy', reason: 'its owner has ended' }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** When two processes launch a server at once only one of them runs; the process of the other one stops its own. */
async function stopIfDuplicate(
  running: ServerState,
  ownServer: ServerProcess | undefined,
): Promise<ServerProcess | undefined> {
  if (running.launchId === ownServer?.launchId) return ownServer
  await ownServer?.stop()
  return undefined
}

/**
 * Returns, after a delay, when the launch failed for a passing reason: another process is starting a server on this
 * cluster, or sessions of the last server are still ending. Throws an EmbeddedError for any other reason.
 */
async function assertRetryable(cluster: Cluster, server: ServerProcess): Promise<void> {
  const reason = await server.ended
  if (!isLocked(cluster.dir) && !/lock file .* (?:already exists|is empty)|is still in use/.test(reason)) {
    throw new EmbeddedError(`${reason}; the full log is in ${cluster.logFile}`)
  }
  await sleep(LAUNCH_RETRY_DELAY_MS)
}

function notAnswering(cluster: Cluster, reason: string): EmbeddedError {
  return new EmbeddedError(
    `PostgreSQL in ${cluster.dir} does not answer (${reason}): read ${cluster.logFile}, and stop a server that hangs`,
  )
}

/** Returns whether the delay has passed; false: `stop` has ended it. */
async function delay(delayMs: number, stop: AbortSignal): Promise<boolean> {
  await sleep(delayMs, undefined, { signal: stop }).catch(() => {})
  return !stop.aborted
}
