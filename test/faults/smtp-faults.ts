import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from './fault.ts'
import { onStage } from './stage.ts'

/** As long as each lasts. */
const FAULT_MS = 4000

/** What can happen to the receiver of emails. */
export const smtpFaults: Fault[] = [
  {
    name: 'the mail server can not be reached',
    short: true,
    healMsMax: 5000,
    run: () =>
      onStage(async ({ smtpNetwork, traffic }) => {
        await smtpNetwork.cut()
        await pause(FAULT_MS)
        await smtpNetwork.restore()
        return traffic.healedSince(performance.now())
      }),
  },
  {
    name: 'the mail server dies after it has accepted an email, before it says so',
    short: true,
    healMsMax: 5000,
    run: () =>
      onStage(async ({ receiver, traffic }) => {
        receiver.diesAfterData = true
        await traffic.more(60)
        receiver.diesAfterData = false
        return traffic.healedSince(performance.now())
      }),
  },
]
