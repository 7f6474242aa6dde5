import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { WindowCounter } from './window-counter.ts'

describe('a counter of windows', () => {
  function createCounter() {
    const clock = { nowMs: 0 }
    return { clock, counter: new WindowCounter(60_000, () => clock.nowMs) }
  }

  it('counts each name from its first count until its window ends', () => {
    const { clock, counter } = createCounter()
    assert.deepEqual(counter.count('a'), { count: 1, msLeft: 60_000 })
    clock.nowMs = 59_999
    assert.deepEqual(counter.count('a'), { count: 2, msLeft: 1 })
    assert.deepEqual(counter.count('b'), { count: 1, msLeft: 60_000 })
    clock.nowMs = 60_000
    assert.deepEqual(counter.count('a'), { count: 1, msLeft: 60_000 })
    assert.deepEqual(counter.count('b'), { count: 2, msLeft: 59_999 })
  })

  it('tells a count without counting', () => {
    const { clock, counter } = createCounter()
    assert.deepEqual(counter.read('a'), { count: 0, msLeft: 60_000 })
    counter.count('a')
    clock.nowMs = 20_000
    for (let i = 0; i < 2; i++) assert.deepEqual(counter.read('a'), { count: 1, msLeft: 40_000 })
    clock.nowMs = 60_000
    assert.deepEqual(counter.read('a'), { count: 0, msLeft: 60_000 })
  })

  it('forgets names whose window has ended', () => {
    const { clock, counter } = createCounter()
    for (let i = 0; i < 100; i++) counter.count(`name ${i}`)
    clock.nowMs = 30_000
    for (let i = 0; i < 10; i++) counter.count(`later ${i}`)
    clock.nowMs = 60_000
    counter.count('name 1')
    assert.equal(counter.size, 11)
    clock.nowMs = 120_000
    counter.count('new')
    assert.equal(counter.size, 1)
  })
})
