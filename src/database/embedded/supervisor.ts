import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, isLocked } from './cluster.ts'
import { EmbeddedError } from './error.ts'
import { type Answer, type Greeting, knock } from './probe.ts'
import { type Life, launch, ownerIn } from './server-process.ts'

/** Keeps a server running on the cluster for as long as this process owns it. */
export interface Keeper {
  greeting: Greeting
  readonly owner: boolean
  stop(): Promise<void>
}

/** Recovery after a crash takes its time. */
const answerMsMax = 60_000
const pauseMsMin = 250
const pauseMsMax = 5_000
const calmMs = 10_000
const farewellMsMax = 5_000

export async function keepServer(cluster: Cluster, onRestart?: (reason: string) => void): Promise<Keeper> {
  const stopping = new AbortController()
  const first = await bringUp(cluster, stopping.signal)
  let life = first.life
  const watching = watch()

  return {
    greeting: first.greeting,
    get owner() {
      return life !== undefined
    },
    async stop() {
      stopping.abort()
      await life?.end()
      await watching
    },
  }

  /** Ends when we stop, or when another process was faster to start the server again and we became its guest. */
  async function watch(): Promise<void> {
    let pauseMs = pauseMsMin
    while (life) {
      const began = Date.now()
      const reason = await life.ended
      if (Date.now() - began > calmMs) pauseMs = pauseMsMin
      pauseMs = await startAgain(reason, pauseMs)
      if (stopping.signal.aborted) return
    }
  }

  async function startAgain(why: string, pause: number): Promise<number> {
    let [reason, pauseMs] = [why, pause]
    while (await rested(pauseMs, stopping.signal)) {
      onRestart?.(reason)
      pauseMs = Math.min(pauseMs * 2, pauseMsMax)
      try {
        life = (await bringUp(cluster, stopping.signal)).life
        return pauseMs
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error) // The service lives on, and so do our tries.
      }
    }
    return pauseMs
  }
}

/** Comes back when a server answers: one of ours, or one that another process runs (then there is no life). */
async function bringUp(cluster: Cluster, stop: AbortSignal): Promise<{ greeting: Greeting; life: Life | undefined }> {
  const begun = Date.now()
  let life: Life | undefined
  try {
    for (;;) {
      const answer = unlessLeftBehind(await knock(cluster.folder.ours), begun)
      if (answer.state === 'up') return { greeting: answer, life: await ownedBy(answer, life) }

      if (stop.aborted) throw new EmbeddedError('Stopped while PostgreSQL was starting')
      if (Date.now() - begun > answerMsMax) throw silent(cluster, answer.why)
      if (answer.state === 'absent' && !life?.running) {
        if (life) await mayTryAgain(cluster, life)
        life = launch(cluster)
      }
      await sleep(10)
    }
  } catch (error) {
    await life?.end()
    throw error
  }
}

/**
 * The server of a process that was just killed still answers for a moment: nobody should become its guest. Whom we can't
 * see for longer than that lives elsewhere, in another container.
 */
function unlessLeftBehind(answer: Answer, begun: number): Answer {
  if (answer.state !== 'up' || Date.now() - begun > farewellMsMax || isAlive(ownerIn(answer.life))) return answer
  return { state: 'busy', why: 'its owner has ended' }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** Of two processes that start at once one launches in vain. */
async function ownedBy(answer: Greeting, life: Life | undefined): Promise<Life | undefined> {
  if (answer.life === life?.id) return life
  await life?.end()
  return undefined
}

/** Only for what passes: another process is about to run this cluster, or the last server's sessions are still ending. */
async function mayTryAgain(cluster: Cluster, life: Life): Promise<void> {
  const reason = await life.ended
  if (!isLocked(cluster.home) && !/lock file .* (?:already exists|is empty)|is still in use/.test(reason)) {
    throw new EmbeddedError(`${reason}; the whole story is in ${cluster.log}`)
  }
  await sleep(50)
}

function silent(cluster: Cluster, why: string): EmbeddedError {
  return new EmbeddedError(
    `PostgreSQL in ${cluster.home} does not answer (${why}): look into ${cluster.log}, and end a server that hangs`,
  )
}

async function rested(pauseMs: number, stop: AbortSignal): Promise<boolean> {
  await sleep(pauseMs, undefined, { signal: stop }).catch(() => {})
  return !stop.aborted
}
