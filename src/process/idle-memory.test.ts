import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collectGarbage, IdleMemory } from './idle-memory.ts'

const MIB = 1024 ** 2

describe('memory of an idle process', () => {
  it('is collected after the start, and not again before it has grown', async () => {
    const { memory, state } = idleMemory()
    state.resident = 150 * MIB
    await memory.check()
    assert.equal(state.collections, 1)
    assert.equal(state.resident, 100 * MIB)

    state.now += 120_000
    state.resident = 115 * MIB
    await memory.check()
    assert.equal(state.collections, 1)
    state.resident = 116 * MIB
    await memory.check()
    assert.equal(state.collections, 2)
  })

  it('is left alone while the process is busy, and collected afterwards', async () => {
    const { memory, state } = idleMemory()
    state.resident = 200 * MIB
    state.busy = 0.03
    await memory.check()
    assert.equal(state.collections, 0)
    state.busy = 0.01
    await memory.check()
    assert.equal(state.collections, 1)
  })

  it('is collected at most once a minute', async () => {
    const { memory, state } = idleMemory()
    for (const seconds of [0, 5, 59]) {
      state.now = seconds * 1000
      state.resident = 300 * MIB
      await memory.check()
    }
    assert.equal(state.collections, 1)
    state.now = 60_000
    await memory.check()
    assert.equal(state.collections, 2)
  })

  it('is not collected in vain: what can’t be freed counts as the new size', async () => {
    const { memory, state } = idleMemory({ freed: 0 })
    state.resident = 200 * MIB
    await memory.check()
    state.now += 120_000
    await memory.check()
    assert.equal(state.collections, 1)
  })
})

it('frees what nothing refers to', async () => {
  const garbage = makeGarbage()
  // A reference keeps its target until the end of the turn in which it was made.
  await new Promise<void>((resolve) => setImmediate(resolve))
  await collectGarbage()
  assert.equal(garbage.deref() === undefined, true)
})

/** In a function of its own, because a variable may keep its value alive as long as its function runs. */
const makeGarbage = () => new WeakRef(Array.from({ length: 1000 }, (_, at) => ({ at })))

function idleMemory({ freed = 1 } = {}) {
  const state = { resident: 100 * MIB, busy: 0, now: 0, collections: 0 }
  const collect = async () => {
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
