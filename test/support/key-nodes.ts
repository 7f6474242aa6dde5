import assert from 'node:assert/strict'
import { type AuditDeps, createAuditDeps } from '../../src/features/audit/deps.ts'
import { KeyWatch } from '../../src/features/nodes/key-watch.ts'
import { reportNode, reportStopped } from '../../src/features/nodes/nodes.ts'
import { newId } from '../../src/lib/ids.ts'
import type { Keys } from '../../src/lib/keys.ts'
import { createLog } from '../../src/process/log.ts'
import { startTestApp, type TestApp } from './app.ts'

/** The APP_SECRET of the service that `withService` starts. */
export const SECRET = 'the-secret-of-all-nodes-of-the-service'
/** What a node answers that may seal and send; one that may do neither. */
export const FULL = { maySeal: true, maySend: true }
export const PAUSED = { maySeal: false, maySend: false }

/** A process of the service, as it reports itself. */
export interface Node {
  id: string
  deps: AuditDeps
  lines: { level: number; msg: string }[]
  /** What it does every few seconds. */
  report(): Promise<{ maySeal: boolean; maySend: boolean }>
  stop(): Promise<void>
}

/** A node of the service that has made its first report. */
export async function startNode({ database }: TestApp, host: string, keys: Keys): Promise<Node> {
  const lines: Node['lines'] = []
  const log = createLog('info', { write: (line: string) => void lines.push(JSON.parse(line)) })
  const deps = createAuditDeps({ database, keys, log })
  const keyWatch = new KeyWatch(deps.keyUse, log)
  assert.equal(deps.keyUse.maySeal, false)
  const id = newId()
  async function report() {
    await reportNode(database, { id, host, version: '1.0.0', keys })
    await keyWatch.look(database, keys)
    return { ...deps.keyUse }
  }
  await report()
  return { id, deps, lines, report, stop: () => reportStopped(database, id) }
}

export async function withService(work: (service: TestApp) => Promise<void>): Promise<void> {
  const service = await startTestApp({ APP_SECRET: SECRET })
  try {
    await work(service)
  } finally {
    await service.close()
  }
}

/** Time passes, during which running nodes go on to report. */
export const age = ({ db }: TestApp, time: string) =>
  db.query(
    `update signing_keys set first_seen_at = first_seen_at - $1::interval, in_use_since = in_use_since - $1::interval,
       last_seen_at = case when exists (select from nodes where signing_kid = kid and stopped_at is null) then now()
         else last_seen_at - $1::interval end`,
    [time],
  )
