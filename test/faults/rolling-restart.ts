import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fault, Outcome } from './fault.ts'
import { startNginx } from './nginx.ts'
import { onStage, type Stage } from './stage.ts'

/** Each restarts every node once. */
const ROUNDS = 10
const CLIENTS = 8
/** Between two requests of one client. */
const PACE_MS = 20
/** As long as nginx uses a node no more after a refused connection, by default (`fail_timeout=10s`), and a little. */
const FAIL_TIMEOUT_MS = 11_000

/**
 * Restarts nodes one after the other, as docs/operations.md says, behind an nginx with its default `max_fails`. Beside the
 * writers there are clients of whose requests none may fail: half of them are POSTs, which nginx sends to no other node
 * once a connection has carried them.
 */
export const rollingRestart: Fault = {
  name: `${ROUNDS} rolling restarts of two nodes behind nginx`,
  programs: ['nginx'],
  healMsMax: 5000,
  msMax: 900_000,
  async run(): Promise<Outcome> {
    const failures: string[] = []
    let nginxLog = ''
    const settings = { SHUTDOWN_DRAIN_SECONDS: '1', TRUST_PROXY: 'loopback', APP_URL: 'https://app.example.com' }
    const options = { nodes: 2, settings, startFront: startNginx }
    const outcome = await onStage(async (stage) => {
      await underLoad(stage.front?.address ?? '', failures, () => restartAll(stage, failures))
      nginxLog = unexpectedIn(stage.front?.log() ?? '')
      return stage.traffic.healedSince(performance.now())
    }, options)
    const lost = [...outcome.lost, ...failures]
    return { ...outcome, lost: lost.length > 0 ? [...lost, `nginx says: ${nginxLog}`] : [] }
  },
}

/** Every stop makes it log a refused connection, after which it takes the next node. */
const unexpectedIn = (log: string) =>
  log
    .split('\n')
    .filter((line) => !line.includes('Connection refused'))
    .join('\n')

async function restartAll({ nodes }: Stage, failures: string[]): Promise<void> {
  for (let round = 1; round <= ROUNDS; round++) {
    for (const node of nodes) {
      node.signal('SIGTERM')
      const code = await node.ended()
      if (code !== 0) failures.push(`round ${round}: a node ended with ${code}`)
      await node.start()
      await pause(FAIL_TIMEOUT_MS)
    }
  }
}

/** Sends requests without a pause while `work` runs, and notes each that fails. */
async function underLoad(address: string, failures: string[], work: () => Promise<void>): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const stopping = new AbortController()
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    while (!stopping.signal.aborted) {
      const [method, path, expected] = index % 2 ? ['POST', '/auth/refresh', 401] : ['GET', '/health', 200]
      const status = await statusOf(`${address}${path}`, method as string, agent)
      if (status !== expected) failures.push(`${method} was answered with ${status}`)
      await pause(PACE_MS)
    }
  })
  await work()
  stopping.abort()
  await Promise.all(clients)
  agent.destroy()
}

/** The status, or the code of the error. */
function statusOf(url: string, method: string, agent: Agent): Promise<number | string | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | string | undefined>()
  const headers = { 'content-type': 'application/json' }
  request(url, { method, agent, headers }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode))
  })
    .once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    .end(method === 'POST' ? '{"refreshToken":"unknown"}' : undefined)
  return promise
}
