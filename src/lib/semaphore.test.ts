import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createSemaphore } from './semaphore.ts'

it('runs at most as many at once as it was made for, the others in the order in which they came', async () => {
  const inTwoSlots = createSemaphore(2)
  const started: number[] = []
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const all = ends.map(({ promise }, index) =>
    inTwoSlots(() => {
      started.push(index)
      return promise
    }),
  )
  assert.deepEqual(started, [0, 1])

  ends[1]?.resolve()
  await all[1]
  assert.deepEqual(started, [0, 1, 2])
  for (const { resolve } of ends) resolve()
  await Promise.all(all)

  assert.deepEqual(started, [0, 1, 2, 3, 4])
})

it('gives the slot back when the work fails', async () => {
  const inOneSlot = createSemaphore(1)
  await assert.rejects(
    inOneSlot(() => Promise.reject(new Error('broken'))),
    /broken/,
  )
  assert.equal(await inOneSlot(async () => 'done'), 'done')
})
