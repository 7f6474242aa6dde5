import fc from 'fast-check'
import type { Caller } from './callers.ts'
import type { Operation } from './document.ts'
import { planOf } from './plans.ts'
import { requestFrom } from './requests.ts'
import type { Rig } from './rig.ts'
import { look } from './world.ts'

const SEED = 1
const TRIES = 6
const WANTED = 2

/**
 * Lets the Owners of every company make what can be made there, so that whatever there is an operation for is there when
 * a batch begins: also what nobody had thought of when this was written.
 */
export async function populate(rig: Rig): Promise<void> {
  const { world } = rig
  const isOpen = ({ companyId, accountId }: Caller) => world.truth.memberships.get(`${companyId} ${accountId}`)?.open
  const owners = world.callers.filter((caller) => /^[A-Z] Owner$/.test(caller.name) && isOpen(caller))
  for (const operation of world.document.operations.filter(makesSomething))
    for (const { name } of owners) await make(rig, operation, name)
}

/** Offers of ownership are in the world already, where there are to be any. */
const makesSomething = ({ id, method, secured, answers }: Operation) =>
  method === 'POST' && secured && '201' in answers && id !== 'offerOwnershipTransfer'

async function make({ world, wire }: Rig, operation: Operation, owner: string): Promise<void> {
  const seed = SEED + owner.charCodeAt(0)
  const plans = fc.sample(planOf(world.document, operation, fc.constant([])), { seed, numRuns: TRIES })
  let made = 0
  for (const plan of plans) {
    if (made === WANTED) return
    const { status } = await wire.send(requestFrom(world, { ...plan, caller: owner }))
    if (status === 201) made++
    await look(world)
  }
}
