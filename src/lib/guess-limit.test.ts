import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Guesses } from './guess-limit.ts'

function guessesAt() {
  const clock = { now: 0 }
  const guesses = new Guesses(() => clock.now)
  const fail = (name: string, times: number) => {
    for (let i = 0; i < times; i++) guesses.countFailure(name)
  }
  return { clock, guesses, fail }
}

it('lets 30 failures pass, then makes each cost a growing wait, 30 seconds at first and an hour at last', () => {
  const { clock, guesses, fail } = guessesAt()
  fail('a', 29)
  assert.equal(guesses.secondsLeft('a'), 0)
  const waits = []
  for (let i = 0; i < 9; i++) {
    guesses.countFailure('a')
    waits.push(guesses.secondsLeft('a'))
    clock.now += (waits.at(-1) as number) * 1000
    assert.equal(guesses.secondsLeft('a'), 0)
  }
  assert.deepEqual(waits, [30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
  assert.equal(guesses.secondsLeft('b'), 0)
})

it('forgets failures after 15 quiet minutes', () => {
  const { clock, guesses, fail } = guessesAt()
  fail('a', 29)
  clock.now += 15 * 60_000
  fail('a', 29)
  assert.equal(guesses.secondsLeft('a'), 0)
  fail('a', 1)
  assert.equal(guesses.secondsLeft('a'), 30)
})

it('remembers 10,000 names at most', () => {
  const { guesses, fail } = guessesAt()
  fail('first', 30)
  for (let i = 1; i < 10_000; i++) guesses.countFailure(`name ${i}`)
  assert.equal(guesses.secondsLeft('first'), 30)
  guesses.countFailure('one more')
  assert.equal(guesses.secondsLeft('first'), 0)
})
