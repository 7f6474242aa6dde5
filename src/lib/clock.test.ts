import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { secondsAhead, warningAboutClock } from './clock.ts'

describe('the difference between two clocks', () => {
  it('is none while the trip may explain it', () => {
    for (const other of [1000, 1500, 3000]) assert.equal(secondsAhead(other, 1000, 3000), 0)
  })

  it('is counted from the nearer end of the trip', () => {
    assert.equal(secondsAhead(100_000, 115_000, 116_000), 15)
    assert.equal(secondsAhead(100_000, 80_000, 85_000), -15)
  })

  it('is told from 10 seconds on, with its direction', () => {
    for (const seconds of [0, 10, -10]) assert.equal(warningAboutClock(seconds), undefined)
    assert.match(warningAboutClock(900.4) ?? '', /is 900 s ahead of that of the database/)
    assert.match(warningAboutClock(-11) ?? '', /is 11 s behind that of the database/)
  })
})
