import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Seats } from './connection-slots.ts'

/** Takes a seat for each name; its letter is its share, `-` is bounded by none. */
function takeAll(seats: Seats<string>, ...names: string[]): string {
  const lost = names.flatMap((name) => seats.take(name, name.startsWith('-') ? undefined : name[0]))
  return lost.join(' ')
}

const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i}`)

describe('seats', () => {
  it('are all for one share up to half of the room, then a quarter at most: its longest idle give way', () => {
    const seats = new Seats<string>(16)
    assert.equal(takeAll(seats, ...numbered('a', 8)), '')
    assert.equal(takeAll(seats, 'b0'), 'a0')
    assert.equal(takeAll(seats, 'b1', 'b2', 'b3'), 'a1 a2 a3')
    assert.equal(takeAll(seats, 'c0', 'a8'), 'a4')
    assert.equal(seats.taken, 9)
  })

  it('are kept by those who are being served: then the newcomer of a large share goes', () => {
    const seats = new Seats<string>(16)
    for (const name of numbered('a', 8)) {
      takeAll(seats, name)
      seats.work(name)
    }
    assert.equal(takeAll(seats, 'b0'), '')
    assert.equal(takeAll(seats, 'a8'), 'a8')
    seats.rest('a3')
    assert.equal(takeAll(seats, 'b1'), 'a3')
    seats.work('b1')
    for (const name of numbered('a', 8)) if (name !== 'a3') seats.rest(name)
    assert.equal(takeAll(seats, 'c0'), 'a0 a1')
  })

  it('are given up by the largest share when there is no room left, the longest idle first', () => {
    const seats = new Seats<string>(8)
    assert.equal(takeAll(seats, 'a0', 'a1', 'b0', 'c0', 'd0', 'e0', 'f0', 'g0'), '')
    seats.work('a0')
    seats.rest('a0')
    assert.equal(takeAll(seats, 'h0'), 'a1')
    assert.equal(seats.taken, 8)
  })

  it('without a share are bounded by the room alone, and give way then like any other', () => {
    const seats = new Seats<string>(8)
    assert.equal(takeAll(seats, ...numbered('-', 8)), '')
    assert.equal(takeAll(seats, '-8', '-9'), '-0 -1')
    assert.equal(takeAll(seats, 'a0', 'b0'), '-2 -3')
  })

  it('are refused to a newcomer only when everybody else is being served', () => {
    const seats = new Seats<string>(4)
    for (const name of ['-0', '-1', '-2', 'a0']) {
      takeAll(seats, name)
      seats.work(name)
    }
    assert.equal(takeAll(seats, 'b0'), 'b0')
    seats.rest('a0')
    assert.equal(takeAll(seats, '-3'), 'a0')
  })

  it('are given up by those who are served in a share that holds far more, the longest served first', () => {
    const seats = new Seats<string>(16)
    for (const name of [...numbered('a', 8), ...numbered('b', 4), ...numbered('c', 4)]) {
      takeAll(seats, name)
      seats.work(name)
    }
    assert.equal(takeAll(seats, 'd0'), 'a0')
    assert.equal(takeAll(seats, 'e0'), 'a1')
    seats.work('d0')
    assert.equal(takeAll(seats, 'f0'), 'a2')
    assert.equal(takeAll(seats, 'a8'), 'a8')
    assert.equal(takeAll(seats, 'g0'), 'a3')
    assert.equal(takeAll(seats, 'h0'), 'e0')
  })

  it('are kept by those who are served in a share that holds a little more, or that stands for many', () => {
    const seats = new Seats<string>(8)
    for (const name of [...numbered('-', 6), 'a0', 'a1']) {
      takeAll(seats, name)
      seats.work(name)
    }
    assert.equal(takeAll(seats, 'b0', '-6'), 'b0 -6')
    seats.rest('-3')
    assert.equal(takeAll(seats, 'b0', 'c0'), '-3 b0')
  })

  it('leave nothing behind', () => {
    const seats = new Seats<string>(8)
    takeAll(seats, 'a0', 'a1', 'a2', '-0')
    for (const name of ['a0', 'a1', 'a2', '-0', 'unknown']) seats.leave(name)
    seats.rest('a0')
    assert.equal(seats.taken, 0)
    assert.equal(takeAll(seats, ...numbered('b', 4)), '')
  })
})
