import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from './fault.ts'
import { onStage, type Stage } from './stage.ts'

/** As long as each lasts. */
const FAULT_MS = 4000
/** Acknowledged while the receiver dies, a tenth of them with an email. */
const WRITES = 60

/** What can happen to the receiver of emails. Writes go on all the time; the emails arrive afterwards. */
export const smtpFaults: Fault[] = [
  network('the mail server can not be reached', ({ smtpNetwork }) => smtpNetwork.cut()),
  network('the network to the mail server delivers nothing', ({ smtpNetwork }) => smtpNetwork.hang()),
  {
    name: 'the mail server dies after it has accepted an email, before it says so',
    short: true,
    healMsMax: 5000,
    run: () =>
      onStage(async ({ receiver, traffic }) => {
        receiver.diesAfterData = true
        await traffic.more(WRITES)
        receiver.diesAfterData = false
        return traffic.healedSince(performance.now())
      }),
  },
]

function network(name: string, cause: (stage: Stage) => void | Promise<void>): Fault {
  return {
    name,
    healMsMax: 5000,
    run: () =>
      onStage(async (stage) => {
        await cause(stage)
        await stage.traffic.more(WRITES)
        await pause(FAULT_MS)
        await stage.smtpNetwork.restore()
        return stage.traffic.healedSince(performance.now())
      }),
  }
}
