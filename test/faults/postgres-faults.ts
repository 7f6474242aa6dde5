import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from './fault.ts'
import { withSmallDisk } from './small-disk.ts'
import { onStage, type Stage } from './stage.ts'

/** As long as each lasts. */
const FAULT_MS = 4000
/** Of every message, in each direction. */
const DELAY_MS = 150

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
  network('PostgreSQL can not be reached', ({ postgresNetwork }) => postgresNetwork.cut()),
  network('the network to PostgreSQL delivers nothing', ({ postgresNetwork }) => postgresNetwork.hang()),
  network('the network to PostgreSQL is slow', ({ postgresNetwork }) => postgresNetwork.delay(DELAY_MS)),
  {
    name: 'open connections to PostgreSQL are dead, new ones work',
    // Their transactions keep locks until PostgreSQL ends them: idle_in_transaction_session_timeout.
    healMsMax: 9000,
    run: () =>
      onStage(async ({ postgresNetwork, traffic }) => {
        postgresNetwork.halfOpen()
        return traffic.healedSince(performance.now())
      }),
  },
  {
    name: 'the disk of PostgreSQL is full',
    healMsMax: 15_000,
    run: () =>
      withSmallDisk((disk) =>
        onStage(
          async ({ postgres, traffic }) => {
            disk.fill()
            await pause(FAULT_MS)
            disk.free()
            const sinceMs = performance.now()
            await postgres.start()
            return traffic.healedSince(sinceMs)
          },
          { postgresFolder: disk.folder },
        ),
      ),
  },
]

function network(name: string, cause: (stage: Stage) => void | Promise<void>): Fault {
  return {
    name,
    healMsMax: 5000,
    run: () =>
      onStage(async (stage) => {
        await cause(stage)
        await pause(FAULT_MS)
        await stage.postgresNetwork.restore()
        return stage.traffic.healedSince(performance.now())
      }),
  }
}
