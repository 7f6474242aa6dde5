import { auditViolations } from './audits.ts'
import { type Exchange, unauthorizedAnswers, unauthorizedGrants, unauthorizedMemberships } from './authority.ts'
import type { FuzzContext } from './context.ts'
import { CutOff, NoAnswer } from './http-client.ts'
import { duplicateEffects, replayViolations } from './idempotency.ts'
import { brokenInvariants } from './invariants.ts'
import { deletedCompaniesShown, leaks } from './leaks.ts'
import { logViolations } from './logs.ts'
import type { Step } from './plans.ts'
import { purgeViolations } from './purges.ts'
import { type Request, requestFrom } from './requests.ts'
import type { Violation } from './response-checks.ts'
import { versionViolations, withCurrentTag } from './versions.ts'
import { collectValues, refreshState } from './world.ts'

/** A violation with the requests that caused it. */
export interface Finding extends Violation {
  operation: string
  exchanges: Exchange[]
}

/** Sends the requests of a batch to a restored world; stops at the first violation. */
export async function runBatch(context: FuzzContext, steps: Step[]): Promise<Finding[]> {
  const { world } = context
  await world.restore()
  for (const step of steps) {
    const findings = await runStep(context, step)
    if (findings.length > 0) return findings
  }
  while (await world.service.mailbox.collect());
  const violations = [
    ...(await auditViolations(context)),
    ...(await brokenInvariants(world.service.db, context.invariants)),
    ...(await purgeViolations(world)),
    ...(await brokenInvariants(world.service.db, context.invariants)),
    ...logViolations(world),
  ]
  return violations.map((violation) => ({ ...violation, operation: 'the batch', exchanges: [] }))
}

async function runStep(context: FuzzContext, { plans, times }: Step): Promise<Finding[]> {
  const { world } = context
  const good = await Promise.all(plans.map((plan) => withCurrentTag(context, requestFrom(world, plan))))
  // The same bytes every time.
  const requests = good.flatMap((request) => Array.from({ length: times }, () => request))
  const before = world.state
  const isAlone = requests.length === 1
  const sent = await Promise.all(requests.map((request) => exchange(context, request, { isAlone })))
  const exchanges = sent.filter((each) => each !== undefined)
  if (sent.some((each) => each === undefined || canHaveChanged(each))) await refreshState(world)

  const after = world.state
  const single = exchanges.flatMap((each) =>
    [
      ...context.checkAnswer(each.request, each.answer),
      ...leaks(world, each.request, each.answer, before, after),
      ...deletedCompaniesShown(each.request, each.answer, before, after),
      ...unauthorizedAnswers(each, before, after, isAlone),
      ...(isAlone ? versionViolations(each) : []),
    ].map((violation) => ({
      ...violation,
      operation: each.request.operation?.id ?? 'no operation',
      exchanges: [each],
    })),
  )
  const retried = isAlone && plans[0]?.again && exchanges[0] ? await replayViolations(context, exchanges[0]) : []
  const joint = [
    ...unauthorizedGrants(exchanges, before, after),
    ...unauthorizedMemberships(exchanges, before, after),
    ...duplicateEffects(exchanges),
    ...retried,
  ]
  return [...single, ...joint.map((violation) => ({ ...violation, operation: 'the step', exchanges }))]
}

const canHaveChanged = ({ request, answer }: Exchange) => request.method !== 'GET' && answer.status < 300

const BODY_BYTES_MAX = 102_400

/**
 * Undefined when the server closed the connection because the body was too large, or cut an export off because another
 * request took its caller's access away.
 */
async function exchange(
  { world, client, coverage }: FuzzContext,
  request: Request,
  { isAlone }: { isAlone: boolean },
): Promise<Exchange | undefined> {
  try {
    const answer = await client.send(request)
    coverage.count(request.operation, answer.status)
    collectValues(world, request, answer)
    return { request, answer }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    const bytes = request.body?.length ?? 0
    coverage.countUnanswered(request.operation, `after ${bytes} bytes of a body: ${error.message}`)
    if (bytes > BODY_BYTES_MAX) return undefined
    if (error instanceof CutOff && !isAlone && request.operation?.id === 'exportAuditRecords') return undefined
    return { request, answer: { status: 599, headers: new Map(), text: `no answer: ${error.message}` } }
  }
}
