import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConnectionSlots } from './connection-slots.ts'

/**
 * Opens a connection for each name. The first letter of a name is its share; `-`: no share bounds it. Returns those to close.
 */
function openAll(slots: ConnectionSlots<string>, ...names: string[]): string {
  const closed = names.flatMap((name) => slots.take(name, name.startsWith('-') ? undefined : name[0]))
  return closed.join(' ')
}

const numbered = (share: string, count: number) => Array.from({ length: count }, (_, i) => `${share}${i}`)

describe('connection slots', () => {
  it('let one share take half of them, then keep a quarter: its longest idle connections are closed', () => {
    const slots = new ConnectionSlots<string>(16)
    assert.equal(openAll(slots, ...numbered('a', 8)), '')
    assert.equal(openAll(slots, 'b0'), 'a0')
    assert.equal(openAll(slots, 'b1', 'b2', 'b3'), 'a1 a2 a3')
    assert.equal(openAll(slots, 'c0', 'a8'), 'a4')
    assert.equal(slots.taken, 9)
  })

  it('are not taken from busy connections of a large share: its new connection is closed instead', () => {
    const slots = new ConnectionSlots<string>(16)
    for (const name of numbered('a', 8)) {
      openAll(slots, name)
      slots.setBusy(name)
    }
    assert.equal(openAll(slots, 'b0'), '')
    assert.equal(openAll(slots, 'a8'), 'a8')
    slots.setIdle('a3')
    assert.equal(openAll(slots, 'b1'), 'a3')
    slots.setBusy('b1')
    for (const name of numbered('a', 8)) if (name !== 'a3') slots.setIdle(name)
    assert.equal(openAll(slots, 'c0'), 'a0 a1')
  })

  it('are taken from the largest share when none is free, its longest idle connection first', () => {
    const slots = new ConnectionSlots<string>(8)
    assert.equal(openAll(slots, 'a0', 'a1', 'b0', 'c0', 'd0', 'e0', 'f0', 'g0'), '')
    slots.setBusy('a0')
    slots.setIdle('a0')
    assert.equal(openAll(slots, 'h0'), 'a1')
    assert.equal(slots.taken, 8)
  })

  it('bound connections without a share by the maximum alone, and close their longest idle ones', () => {
    const slots = new ConnectionSlots<string>(8)
    assert.equal(openAll(slots, ...numbered('-', 8)), '')
    assert.equal(openAll(slots, '-8', '-9'), '-0 -1')
    assert.equal(openAll(slots, 'a0', 'b0'), '-2 -3')
  })

  it('are refused to a new connection only when all others are busy', () => {
    const slots = new ConnectionSlots<string>(4)
    for (const name of ['-0', '-1', '-2', 'a0']) {
      openAll(slots, name)
      slots.setBusy(name)
    }
    assert.equal(openAll(slots, 'b0'), 'b0')
    slots.setIdle('a0')
    assert.equal(openAll(slots, '-3'), 'a0')
  })

  it('are taken from busy connections of a share that has far more, the longest busy first', () => {
    const slots = new ConnectionSlots<string>(16)
    for (const name of [...numbered('a', 8), ...numbered('b', 4), ...numbered('c', 4)]) {
      openAll(slots, name)
      slots.setBusy(name)
    }
    assert.equal(openAll(slots, 'd0'), 'a0')
    assert.equal(openAll(slots, 'e0'), 'a1')
    slots.setBusy('d0')
    assert.equal(openAll(slots, 'f0'), 'a2')
    assert.equal(openAll(slots, 'a8'), 'a8')
    assert.equal(openAll(slots, 'g0'), 'a3')
    assert.equal(openAll(slots, 'h0'), 'e0')
  })

  it('are not taken from busy connections of a share that has a little more, or of proxies', () => {
    const slots = new ConnectionSlots<string>(8)
    for (const name of [...numbered('-', 6), 'a0', 'a1']) {
      openAll(slots, name)
      slots.setBusy(name)
    }
    assert.equal(openAll(slots, 'b0', '-6'), 'b0 -6')
    slots.setIdle('-3')
    assert.equal(openAll(slots, 'b0', 'c0'), '-3 b0')
  })

  it('are all free again after every connection was closed', () => {
    const slots = new ConnectionSlots<string>(8)
    openAll(slots, 'a0', 'a1', 'a2', '-0')
    for (const name of ['a0', 'a1', 'a2', '-0', 'unknown']) slots.release(name)
    slots.setIdle('a0')
    assert.equal(slots.taken, 0)
    assert.equal(openAll(slots, ...numbered('b', 4)), '')
  })
})
