import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from './fault.ts'
import { startPgBouncer } from './pgbouncer.ts'
import { createServiceNode } from './service-node.ts'
import { onStage, type Stage, serviceSettings } from './stage.ts'

const FAULT_MS = 2000

/** Poolers between the service and PostgreSQL. */
export const poolerFaults: Fault[] = [
  {
    name: 'PgBouncer in session mode is killed with -9 and started again',
    programs: ['pgbouncer'],
    healMsMax: 5000,
    run: () => onStage((stage) => throughPgBouncer(stage, 'session')),
  },
  {
    name: 'PgBouncer in transaction mode is refused, or killed with -9 and started again',
    programs: ['pgbouncer'],
    healMsMax: 5000,
    run: () => onStage((stage) => throughPgBouncer(stage, 'transaction')),
  },
]

/** A further node works through PgBouncer; from 1.21 on in transaction mode, too. */
async function throughPgBouncer(stage: Stage, mode: 'session' | 'transaction'): Promise<number> {
  const bouncer = await startPgBouncer(stage.postgres.port, { mode })
  const settings = { ...serviceSettings(stage), DATABASE_URL: bouncer.url }
  const direct = `postgres://tenantry@127.0.0.1:${stage.postgres.port}/tenantry`
  const node = await createServiceNode(mode === 'session' ? settings : { ...settings, MIGRATE_DATABASE_URL: direct })
  try {
    if (!(await startsOrIsRefused(node, mode))) return 0
    stage.use([node])
    await stage.traffic.healedSince(performance.now())
    await bouncer.kill()
    await pause(FAULT_MS)
    const sinceMs = performance.now()
    await bouncer.start()
    return await stage.traffic.healedSince(sinceMs)
  } finally {
    stage.use(stage.nodes)
    await stage.traffic.healedSince(performance.now())
    await node.close()
    await bouncer.close()
  }
}

async function startsOrIsRefused(node: { start(): Promise<void> }, mode: string): Promise<boolean> {
  try {
    await node.start()
    return true
  } catch (error) {
    if (mode === 'session') throw error
    assert.match((error as Error).message, /^.*\n?DATABASE_URL leads through a pooler in transaction mode that .+\.\n$/)
    return false
  }
}
