import { auditFaults } from './audits.ts'
import { type Exchange, gainedWrongly, joinedWrongly, servedWrongly } from './authority.ts'
import { brokenInvariants } from './invariants.ts'
import type { Fault } from './judge.ts'
import { closedShown, leaks } from './leaks.ts'
import { logFaults } from './logs.ts'
import type { Step } from './plans.ts'
import { purgeFaults } from './purges.ts'
import { type Request, requestFrom } from './requests.ts'
import { doneTwice, repeatedWrongly } from './retries.ts'
import type { Rig } from './rig.ts'
import { versionsTakenWrongly, withCurrentTag } from './versions.ts'
import { NoAnswer } from './wire.ts'
import { harvest, look, parsed } from './world.ts'

/** A broken promise, with what was sent when it broke. */
export interface Finding extends Fault {
  operation: string
  exchanges: Exchange[]
}

/** Sends the requests of a batch to a world that is as it was at the start; stops at the first broken promise. */
export async function runBatch(rig: Rig, steps: Step[]): Promise<Finding[]> {
  const { world } = rig
  await world.restore()
  for (const step of steps) {
    const findings = await runStep(rig, step)
    if (findings.length > 0) return findings
  }
  while (await world.service.mailbox.collect());
  const faults = [
    ...(await auditFaults(rig)),
    ...(await brokenInvariants(world.service.db, rig.invariants)),
    ...(await purgeFaults(world)),
    ...(await brokenInvariants(world.service.db, rig.invariants)),
    ...logFaults(world),
  ]
  return faults.map((fault) => ({ ...fault, operation: 'the batch', exchanges: [] }))
}

async function runStep(rig: Rig, { plans, times }: Step): Promise<Finding[]> {
  const { world } = rig
  const good = await Promise.all(plans.map((plan) => withCurrentTag(rig, requestFrom(world, plan))))
  // The same bytes every time.
  const requests = good.flatMap((request) => Array.from({ length: times }, () => request))
  const before = world.truth
  const sent = await Promise.all(requests.map((request) => exchange(rig, request)))
  const exchanges = sent.filter((each) => each !== undefined)
  if (sent.some((each) => each === undefined || mayHaveChanged(each))) await look(world)

  const after = world.truth
  const isAlone = sent.length === 1
  const single = exchanges.flatMap((each) =>
    [
      ...rig.judge(each.request, each.answer),
      ...leaks(world, each.request, each.answer, before, after),
      ...closedShown(each.request, each.answer, before, after),
      ...servedWrongly(each, before, after, isAlone),
      ...(isAlone ? versionsTakenWrongly(each) : []),
    ].map((fault) => ({ ...fault, operation: each.request.operation?.id ?? 'no operation', exchanges: [each] })),
  )
  const retried = isAlone && plans[0]?.again && exchanges[0] ? await repeatedWrongly(rig, exchanges[0]) : []
  const joint = [
    ...gainedWrongly(exchanges, before, after),
    ...joinedWrongly(exchanges, before, after),
    ...doneTwice(exchanges),
    ...retried,
  ]
  return [...single, ...joint.map((fault) => ({ ...fault, operation: 'the step', exchanges }))]
}

const mayHaveChanged = ({ request, answer }: Exchange) => request.method !== 'GET' && answer.status < 300

const BODY_BYTES_MAX = 102_400

/** Undefined: the server ended the connection over a body that it does not read. */
async function exchange({ world, wire, coverage }: Rig, request: Request): Promise<Exchange | undefined> {
  try {
    const answer = await wire.send(request)
    coverage.count(request.operation, answer.status)
    harvest(world, answer.headers, parsed(answer.text))
    return { request, answer }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    coverage.count(request.operation, 0)
    if ((request.body?.length ?? 0) > BODY_BYTES_MAX) return undefined
    return { request, answer: { status: 599, headers: new Map(), text: `no answer: ${error.message}` } }
  }
}
