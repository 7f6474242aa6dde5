import type { Fault } from './fault.ts'
import { endLeases, onStage, type Stage } from './stage.ts'

/** What can happen to the service itself. */
export const serviceFaults: Fault[] = [
  {
    name: 'the only node is killed with -9 and started again',
    short: true,
    healMsMax: 10_000,
    run: () =>
      onStage(async (stage) => {
        const [node] = stage.nodes as [Stage['nodes'][0]]
        await node.kill()
        await endLeases(stage)
        const sinceMs = performance.now()
        await node.start()
        return stage.traffic.healedSince(sinceMs)
      }),
  },
]
