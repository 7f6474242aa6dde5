import assert from 'node:assert/strict'
import { it } from 'node:test'
import { SharedSlots, SharedSlotsTakenError } from './shared-slots.ts'

const LONG = 60_000

/** Takes a slot for each of the holders, in this order, and tells in which one they get it. */
function waitFor(slots: SharedSlots, holders: (string | undefined)[]) {
  const order: (string | undefined)[] = []
  const releases: (() => void)[] = []
  const all = holders.map((holder) =>
    slots.take(holder, LONG).then((release) => {
      order.push(holder)
      releases.push(release)
    }),
  )
  return { order, releases, all: Promise.all(all) }
}

/** All that could start have started. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

it('gives a holder its share at most, while others get what is free', async () => {
  const slots = new SharedSlots({ count: 4, share: 2 })
  const { order, releases, all } = waitFor(slots, ['a', 'a', 'a', 'b', undefined])
  await settled()
  assert.deepEqual(order, ['a', 'a', 'b', undefined])
  assert.equal(slots.waiting, 1)
  releases[0]?.()
  await all
  assert.equal(order.at(-1), 'a')
})

it('gives a free slot to the holder that has the fewest, and of these to who has waited longest', async () => {
  const slots = new SharedSlots({ count: 2, share: 2 })
  const { order, releases } = waitFor(slots, ['a', 'a', 'a', 'a', 'b', 'c', undefined])
  await settled()
  for (let taken = 0; taken < 5; taken++) {
    releases[taken]?.()
    await settled()
  }
  assert.deepEqual(order, ['a', 'a', 'b', 'a', 'c', 'a', undefined])
})

it('refuses who has waited too long, and forgets that one', async () => {
  const slots = new SharedSlots({ count: 1, share: 1 })
  const release = await slots.take('a', LONG)
  await assert.rejects(slots.take('b', 1), SharedSlotsTakenError)
  assert.equal(slots.waiting, 0)
  release()
  assert.equal(typeof (await slots.take('c', LONG)), 'function')
})
