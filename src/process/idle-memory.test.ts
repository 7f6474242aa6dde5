import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collectGarbage, IdleMemory } from './idle-memory.ts'

const MIB = 1024 ** 2

describe('memory of an idle process', () => {
  it('is collected once it has grown, and not again before it has grown anew', () => {
    const { memory, state } = idleMemory()
    memory.check()
    assert.equal(state.collections, 0)

    state.resident = 200 * MIB
    memory.check()
    assert.equal(state.collections, 1)
    assert.equal(state.resident, 100 * MIB)

    state.now += 120_000
    state.resident = 115 * MIB
    memory.check()
    assert.equal(state.collections, 1)
    state.resident = 116 * MIB
    memory.check()
    assert.equal(state.collections, 2)
  })

  it('is left alone while the process is busy, and collected afterwards', () => {
    const { memory, state } = idleMemory()
    state.resident = 200 * MIB
    state.busy = 0.03
    memory.check()
    assert.equal(state.collections, 0)
    state.busy = 0.01
    memory.check()
    assert.equal(state.collections, 1)
  })

  it('is collected at most once a minute', () => {
    const { memory, state } = idleMemory()
    for (const seconds of [0, 5, 59]) {
      state.now = seconds * 1000
      state.resident = 300 * MIB
      memory.check()
    }
    assert.equal(state.collections, 1)
    state.now = 60_000
    memory.check()
    assert.equal(state.collections, 2)
  })

  it('is not collected in vain: what can’t be freed counts as the new size', () => {
    const { memory, state } = idleMemory({ freed: 0 })
    state.resident = 200 * MIB
    memory.check()
    state.now += 120_000
    memory.check()
    assert.equal(state.collections, 1)
  })
})

it('frees what nothing refers to', async () => {
  let big: unknown[] | undefined = Array.from({ length: 1_000_000 }, (_, at) => ({ at }))
  const reference = new WeakRef(big)
  big = undefined
  // The reference itself keeps its target until the end of this turn.
  await new Promise<void>((resolve) => setImmediate(resolve))
  collectGarbage()
  assert.equal(reference.deref(), undefined)
})

function idleMemory({ freed = 1 } = {}) {
  const state = { resident: 100 * MIB, busy: 0, now: 0, collections: 0 }
  const collect = () => {
    state.collections++
    state.resident -= freed * Math.max(0, state.resident - 100 * MIB)
  }
  const memory = new IdleMemory({
    resident: () => state.resident,
    busy: () => state.busy,
    now: () => state.now,
    collect,
  })
  return { memory, state }
}
