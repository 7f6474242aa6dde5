import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from './fault.ts'
import { onStage } from './stage.ts'

/** As long as each lasts. */
const FAULT_MS = 4000

/** What can happen to the database, and to the network in front of it. */
export const postgresFaults: Fault[] = [
  {
    name: 'PostgreSQL is killed with -9 and started again',
    short: true,
    healMsMax: 10_000,
    run: () =>
      onStage(async ({ postgres, traffic }) => {
        await postgres.kill()
        const sinceMs = performance.now()
        await postgres.start()
        return traffic.healedSince(sinceMs)
      }),
  },
  {
    name: 'PostgreSQL can not be reached',
    healMsMax: 5000,
    run: () =>
      onStage(async ({ postgresNetwork, traffic }) => {
        await postgresNetwork.cut()
        await pause(FAULT_MS)
        await postgresNetwork.restore()
        return traffic.healedSince(performance.now())
      }),
  },
]
