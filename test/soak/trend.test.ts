import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bloatOf, growthOf, problemOf } from './trend.ts'

const bound = { name: 'heap', absolute: 10, relative: 0.1 }
const points = (...values: number[]) => values.map((value, index) => ({ atMs: index * 15_000, value }))

describe('the trend of a soak', () => {
  it('is the rise of the line through the samples', () => {
    assert.equal(growthOf(points(5, 5, 5)), 0)
    assert.equal(growthOf(points(0, 10, 20, 30)), 30)
    assert.equal(growthOf(points(30, 20, 10)), -20)
    assert.equal(growthOf(points(7)), 0)
    assert.equal(growthOf([]), 0)
  })

  it('is no problem for what goes up and down, or rises within its bound', () => {
    assert.equal(problemOf(bound, points(50, 80, 50, 80, 50, 80, 50)), undefined)
    assert.equal(problemOf(bound, points(20, 23, 26, 29)), undefined)
    assert.equal(problemOf(bound, points(1000, 1030, 1060, 1090)), undefined)
  })

  it('is a problem when it rises beyond its bound', () => {
    assert.match(problemOf(bound, points(20, 24, 28, 32)) ?? '', /^heap grew by 12 .* may by 10$/)
    assert.match(problemOf(bound, points(1000, 1050, 1100, 1150)) ?? '', /^heap grew by 150/)
  })
})

describe('the size of a table', () => {
  const mib = (value: number) => value * 1024 * 1024

  it('may grow with its rows', () => {
    assert.equal(bloatOf('emails', { rows: 1000, bytes: mib(10) }, { rows: 2000, bytes: mib(22) }), undefined)
    assert.equal(bloatOf('nodes', { rows: 1, bytes: mib(0.1) }, { rows: 1, bytes: mib(1) }), undefined)
  })

  it('is a problem when its rows do not account for it', () => {
    assert.match(bloatOf('emails', { rows: 1000, bytes: mib(10) }, { rows: 1000, bytes: mib(20) }) ?? '', /^emails is/)
    assert.match(bloatOf('nodes', { rows: 1, bytes: mib(0.1) }, { rows: 0, bytes: mib(2) }) ?? '', /^nodes is bloated/)
  })
})
