import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TestApp } from '../../../test/support/app.ts'
import { age, FULL, type Node, PAUSED, SECRET, startNode, withService } from '../../../test/support/key-nodes.ts'
import { signUp } from '../../../test/support/people.ts'
import { keysFrom } from '../../lib/keys.ts'
import { sealCompany } from '../audit/chain/seal-company.ts'
import { renewSignatures } from '../audit/worker/renew-signatures.ts'
import { judgeRotation } from './rotation.ts'
import { readRotationState } from './rotation-state.ts'

const OTHER = 'another-secret-that-came-after-the-first'
const NEXT = 'the-next-secret-of-all-nodes-of-the-service'
const TYPO = 'the-nxet-secret-of-all-nodes-of-the-service'

/** Audit logs of new companies, sealed by a node. */
async function sealLogs({ client }: TestApp, { deps }: Node, count: number): Promise<void> {
  for (let sealed = 0; sealed < count; sealed++) {
    const { company } = await signUp(client)
    assert.ok((await sealCompany(deps, company.id)) > 0)
  }
}

/** Nodes of one name after another: the next one starts when the one before has stopped. */
async function replace(service: TestApp, node: Node, ...secrets: Parameters<typeof keysFrom>): Promise<Node> {
  await node.stop()
  return startNode(service, 'one', keysFrom(...secrets))
}

/** A service with sealed logs that has gone on from SECRET to OTHER by a rotation. */
async function rotated(service: TestApp): Promise<Node> {
  const former = await startNode(service, 'one', keysFrom(SECRET, OTHER))
  await sealLogs(service, former, 3)
  const swapped = await replace(service, former, OTHER, SECRET)
  await renewSignatures(swapped.deps)
  await age(service, '3 days')
  assert.deepEqual(await swapped.report(), FULL)
  return swapped
}

/** A service whose first secret was lost: the logs that are signed with it stay. */
async function afterLoss(service: TestApp): Promise<Node> {
  const former = await startNode(service, 'one', keysFrom(SECRET))
  await sealLogs(service, former, 3)
  const next = await replace(service, former, OTHER)
  await age(service, '8 days')
  assert.deepEqual(await next.report(), FULL)
  await sealLogs(service, next, 1)
  return next
}

const judge = async ({ database }: TestApp) => judgeRotation(await readRotationState(database)).next

it('is no former secret of a service that has lost two of them, whatever was signed with those', () =>
  withService(async (service) => {
    const second = await afterLoss(service)
    await sealLogs(service, second, 4)
    const right = await replace(service, second, NEXT)
    await age(service, '300 days')
    assert.deepEqual(await right.report(), FULL)
    await sealLogs(service, right, 1)
    const leftBehind = await startNode(service, 'two', keysFrom(SECRET))
    for (const pause of ['1 minute', '3 days']) {
      assert.deepEqual(await leftBehind.report(), PAUSED, pause)
      assert.deepEqual(await right.report(), FULL, pause)
      await age(service, pause)
    }
  }))

describe('a service that has gone back to a former secret', () => {
  it('refuses a mistyped one, at once and later, and in the next rotation', () =>
    withService(async (service) => {
      const back = await replace(service, await rotated(service), SECRET, OTHER)
      assert.deepEqual(await back.report(), FULL)
      await renewSignatures(back.deps)
      const early = await startNode(service, 'two', keysFrom(TYPO))
      assert.deepEqual([await back.report(), await early.report()], [FULL, PAUSED])
      await early.stop()

      await age(service, '8 days')
      const alone = await replace(service, back, SECRET)
      const wrong = await startNode(service, 'two', keysFrom(TYPO))
      assert.deepEqual([await alone.report(), await wrong.report()], [FULL, PAUSED])
      assert.match(await judge(service), /^Give two \(.*\) the same APP_SECRET as one /)

      await wrong.stop()
      const published = await replace(service, alone, SECRET, NEXT)
      const mistyped = await startNode(service, 'two', keysFrom(TYPO, SECRET))
      assert.deepEqual([await published.report(), await mistyped.report()], [FULL, PAUSED])
    }))

  it('refuses one of another installation that has run beside it since before, too', () =>
    withService(async (service) => {
      const first = await startNode(service, 'one', keysFrom(SECRET))
      await sealLogs(service, first, 1)
      const foreign = await startNode(service, 'two', keysFrom(TYPO))
      await age(service, '2 days')
      await first.stop()
      const back = await replace(service, await rotated(service), SECRET, OTHER)
      await renewSignatures(back.deps)
      assert.deepEqual([await back.report(), await foreign.report()], [FULL, PAUSED])
      await age(service, '8 days')
      assert.deepEqual([await back.report(), await foreign.report()], [FULL, PAUSED])
    }))

  it('refuses the one that it has gone back from, when a node that was left behind starts with it', () =>
    withService(async (service) => {
      const back = await replace(service, await afterLoss(service), SECRET)
      await age(service, '3 days')
      const late = await startNode(service, 'two', keysFrom(OTHER))
      assert.deepEqual([await back.report(), await late.report()], [FULL, PAUSED])
      await age(service, '3 days')
      assert.deepEqual([await back.report(), await late.report()], [FULL, PAUSED])
    }))

  it('leaves open for a day which of two nodes has it right, of which one was mistyped on that way', () =>
    withService(async (service) => {
      const swapped = await rotated(service)
      await swapped.stop()
      const back = await startNode(service, 'one', keysFrom(SECRET, OTHER))
      const mistyped = await startNode(service, 'two', keysFrom(TYPO, OTHER))
      for (const node of [back, mistyped]) assert.deepEqual(await node.report(), { maySeal: false, maySend: true })
      await age(service, '1 day')
      assert.deepEqual([await back.report(), await mistyped.report()], [FULL, PAUSED])
    }))

  it('does not wait when the other one was a mistake that has signed nothing', () =>
    withService(async (service) => {
      const former = await startNode(service, 'one', keysFrom(SECRET))
      await sealLogs(service, former, 1)
      const mistaken = await replace(service, former, OTHER)
      await age(service, '3 days')
      const right = await replace(service, mistaken, SECRET)
      const wrong = await startNode(service, 'two', keysFrom(TYPO))
      assert.deepEqual([await right.report(), await wrong.report()], [FULL, PAUSED])
    }))

  it('is warned for a day when the other one was a mistake that has signed logs, and goes on after it', () =>
    withService(async (service) => {
      const right = await replace(service, await afterLoss(service), SECRET)
      assert.deepEqual(await right.report(), { maySeal: false, maySend: true })
      const wrong = await startNode(service, 'two', keysFrom(TYPO))
      assert.match(await judge(service), /^Give two \(.*\) the same APP_SECRET as one /)
      assert.match(wrong.lines[0]?.msg ?? '', /with which the audit log is signed/)
      await age(service, '1 day')
      assert.deepEqual([await right.report(), await wrong.report()], [FULL, PAUSED])
      const another = await startNode(service, 'three', keysFrom(NEXT))
      assert.match(another.lines[0]?.msg ?? '', /with which one signs and the audit log is signed/)
    }))
})

describe('a node that was left behind with a former secret', () => {
  it('stays refused as long as the service goes on with the other one, with all of its processes', () =>
    withService(async (service) => {
      const right = await afterLoss(service)
      const late = [
        await startNode(service, 'two', keysFrom(SECRET)),
        await startNode(service, 'two', keysFrom(SECRET)),
      ]
      for (const time of ['0', '12 hours', '30 days']) {
        await age(service, time)
        assert.deepEqual(await right.report(), FULL)
        for (const node of late) assert.deepEqual(await node.report(), PAUSED)
      }
    }))

  it('stays refused beside one that was left behind with another former secret, and after that has stopped', () =>
    withService(async (service) => {
      const right = await replace(service, await afterLoss(service), NEXT)
      await age(service, '8 days')
      const late = await startNode(service, 'two', keysFrom(OTHER))
      await age(service, '2 days')
      const older = await startNode(service, 'three', keysFrom(SECRET))
      assert.deepEqual([await right.report(), await late.report(), await older.report()], [FULL, PAUSED, PAUSED])
      await late.stop()
      await age(service, '2 days')
      assert.deepEqual([await right.report(), await older.report()], [FULL, PAUSED])
    }))

  it('stays refused when the service has gone on by another rotation meanwhile', () =>
    withService(async (service) => {
      const right = await afterLoss(service)
      const late = await startNode(service, 'two', keysFrom(SECRET))
      const published = await replace(service, right, OTHER, NEXT)
      assert.deepEqual([await published.report(), await late.report()], [FULL, PAUSED])
      const swapped = await replace(service, published, NEXT, OTHER)
      assert.ok((await renewSignatures(swapped.deps)).renewed > 0)
      assert.deepEqual([await late.report(), await swapped.report()], [PAUSED, FULL])
      await age(service, '8 days')
      const alone = await replace(service, swapped, NEXT)
      assert.deepEqual([await late.report(), await alone.report()], [PAUSED, FULL])
      await age(service, '8 days')
      assert.deepEqual([await late.report(), await alone.report()], [PAUSED, FULL])
    }))

  it('is not judged by a secret that was mistyped in that rotation', () =>
    withService(async (service) => {
      const right = await afterLoss(service)
      const late = await startNode(service, 'two', keysFrom(SECRET))
      await right.stop()
      const mistyped = await startNode(service, 'three', keysFrom(TYPO, OTHER))
      const swapped = await startNode(service, 'one', keysFrom(NEXT, OTHER))
      await mistyped.report()
      await mistyped.stop()
      await swapped.report()
      await renewSignatures(swapped.deps)
      assert.deepEqual([await late.report(), await swapped.report()], [PAUSED, FULL])
    }))
})

describe('after all nodes have stood still for days', () => {
  it('the secret of the service is the one of before, whichever node starts first', () =>
    withService(async (service) => {
      const right = await startNode(service, 'one', keysFrom(SECRET))
      await sealLogs(service, right, 1)
      const wrong = await startNode(service, 'two', keysFrom(TYPO))
      await age(service, '2 days')
      await Promise.all([right.stop(), wrong.stop()])
      await age(service, '3 days')
      const first = await startNode(service, 'two', keysFrom(TYPO))
      const second = await startNode(service, 'one', keysFrom(SECRET))
      assert.deepEqual([await second.report(), await first.report()], [FULL, PAUSED])
    }))

  it('a wrong secret that was tried in between does not prevail, nor a former one that starts first', () =>
    withService(async (service) => {
      const right = await afterLoss(service)
      const late = await startNode(service, 'two', keysFrom(SECRET))
      await Promise.all([right.stop(), late.stop()])
      await age(service, '2 days')
      const tried = await startNode(service, 'three', keysFrom(TYPO))
      await tried.stop()
      await age(service, '2 days')
      const former = await startNode(service, 'two', keysFrom(SECRET))
      await former.report()
      const again = await startNode(service, 'one', keysFrom(OTHER))
      const wrong = await startNode(service, 'three', keysFrom(TYPO))
      assert.deepEqual([await again.report(), await former.report(), await wrong.report()], [FULL, PAUSED, PAUSED])
    }))
})
