import assert from 'node:assert/strict'
import { it } from 'node:test'
import { GuessLimit } from './guess-limit.ts'

function createLimit() {
  const clock = { now: 0 }
  const guessLimit = new GuessLimit(() => clock.now)
  const fail = (name: string, times: number) => {
    for (let i = 0; i < times; i++) guessLimit.countFailure(name)
  }
  return { clock, guessLimit, fail }
}

it('blocks a name from the 30th failure on: 30 seconds at first, twice as long each time, up to an hour', () => {
  const { clock, guessLimit, fail } = createLimit()
  fail('a', 29)
  assert.equal(guessLimit.secondsLeft('a'), 0)
  const waits = []
  for (let i = 0; i < 9; i++) {
    guessLimit.countFailure('a')
    waits.push(guessLimit.secondsLeft('a'))
    clock.now += (waits.at(-1) as number) * 1000
    assert.equal(guessLimit.secondsLeft('a'), 0)
  }
  assert.deepEqual(waits, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
  assert.equal(guessLimit.secondsLeft('b'), 0)
})

it('forgets failures after 15 minutes without one', () => {
  const { clock, guessLimit, fail } = createLimit()
  fail('a', 29)
  clock.now += 15 * 60_000
  fail('a', 29)
  assert.equal(guessLimit.secondsLeft('a'), 0)
  fail('a', 1)
  assert.equal(guessLimit.secondsLeft('a'), 30)
})

it('remembers 10,000 names at most', () => {
  const { guessLimit, fail } = createLimit()
  fail('first', 30)
  for (let i = 1; i < 10_000; i++) guessLimit.countFailure(`name ${i}`)
  assert.equal(guessLimit.secondsLeft('first'), 30)
  guessLimit.countFailure('one more')
  assert.equal(guessLimit.secondsLeft('first'), 0)
})
