import fc from 'fast-check'
import type { Caller } from './callers.ts'
import type { FuzzContext } from './context.ts'
import type { Operation } from './document.ts'
import { planOf } from './plans.ts'
import { requestFrom } from './requests.ts'
import { refreshState } from './world.ts'

const SEED = 1
const TRIES = 6
const WANTED = 2

/**
 * Creates resources of every kind in every company, by every operation that creates one, so that new features are
 * covered without a change here.
 */
export async function populate(context: FuzzContext): Promise<void> {
  const { world } = context
  const isOpen = ({ companyId, accountId }: Caller) => world.state.memberships.get(`${companyId} ${accountId}`)?.open
  const owners = world.callers.filter((caller) => /^[A-Z] Owner$/.test(caller.name) && isOpen(caller))
  for (const operation of world.document.operations.filter(createsSomething))
    for (const { name } of owners) await createSeveral(context, operation, name)
}

/** Ownership offers are part of the fixtures. */
const createsSomething = ({ id, method, secured, answers }: Operation) =>
  method === 'POST' && secured && '201' in answers && id !== 'offerOwnershipTransfer'

async function createSeveral({ world, client }: FuzzContext, operation: Operation, owner: string): Promise<void> {
  const seed = SEED + owner.charCodeAt(0)
  const plans = fc.sample(planOf(world.document, operation, fc.constant([])), { seed, numRuns: TRIES })
  let created = 0
  for (const plan of plans) {
    if (created === WANTED) return
    const { status } = await client.send(requestFrom(world, { ...plan, caller: owner }))
    if (status === 201) created++
    await refreshState(world)
  }
}
