import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLog } from '../process/log.ts'
import { type BackgroundOptions, startBackgroundLoop } from './background.ts'

/** A loop whose rounds end when the test says so, on a clock that the test moves. */
function start(t: TestContext, options: Partial<BackgroundOptions> = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const rounds: (PromiseWithResolvers<void> & { signal: AbortSignal })[] = []
  const logged: string[] = []
  const loop = startBackgroundLoop({
    name: 'worker',
    log: createLog('info', { write: (line: string) => void logged.push(JSON.parse(line).msg) }),
    intervalMs: 100,
    backOff: { firstMs: 1000, maxMs: 5000 },
    round(signal) {
      const round = { ...Promise.withResolvers<void>(), signal }
      rounds.push(round)
      return round.promise
    },
    ...options,
  })
  return {
    loop,
    rounds,
    logged,
    async pass(ms: number) {
      t.mock.timers.tick(ms)
      await nextTurn()
    },
    async endRound(error?: Error) {
      if (error) rounds.at(-1)?.reject(error)
      else rounds.at(-1)?.resolve()
      await nextTurn()
    },
  }
}

describe('a background loop', () => {
  it('starts a round when the interval after the round before has passed, never two at once', async (t) => {
    const { loop, rounds, pass, endRound } = start(t)
    assert.equal(rounds.length, 1)
    await pass(1000)
    assert.equal(rounds.length, 1)
    await endRound()
    await pass(99)
    assert.equal(rounds.length, 1)
    await pass(1)
    assert.equal(rounds.length, 2)
    await endRound()
    await loop.stop()
  })

  it('waits before the first round when it is told to', async (t) => {
    const { loop, rounds, pass, endRound } = start(t, { delayMs: 500 })
    await pass(499)
    assert.equal(rounds.length, 0)
    await pass(1)
    assert.equal(rounds.length, 1)
    await endRound()
    await loop.stop()
  })

  it('starts a round at once when it is nudged, also during a round, and then keeps its interval', async (t) => {
    const { loop, rounds, pass, endRound } = start(t)
    await endRound()
    loop.nudge()
    await nextTurn()
    assert.equal(rounds.length, 2)
    loop.nudge()
    loop.nudge()
    await endRound()
    assert.equal(rounds.length, 3)
    await endRound()
    assert.equal(rounds.length, 3)
    await pass(100)
    assert.equal(rounds.length, 4)
    await endRound()
    await loop.stop()
  })

  it('waits twice as long after each further failure, up to a maximum, and a nudge does not shorten that', async (t) => {
    const { loop, rounds, pass, endRound } = start(t)
    for (const pauseMs of [1000, 2000, 4000, 5000, 5000]) {
      const before = rounds.length
      await endRound(new Error('away'))
      loop.nudge()
      await pass(pauseMs - 1)
      assert.equal(rounds.length, before)
      await pass(1)
      assert.equal(rounds.length, before + 1)
    }
    await endRound()
    await pass(100)
    await endRound(new Error('away again'))
    const before = rounds.length
    await pass(1000)
    assert.equal(rounds.length, before + 1, 'the first pause is short again')
    await endRound()
    await loop.stop()
  })

  it('logs an outage once and its end once', async (t) => {
    const { loop, logged, pass, endRound } = start(t)
    for (const _ of [1, 2, 3]) {
      await endRound(new Error('away'))
      await pass(5000)
    }
    assert.deepEqual(logged, ['worker failed; trying again'])
    await endRound()
    await pass(100)
    await endRound()
    assert.deepEqual(logged, ['worker failed; trying again', 'worker recovered'])
    await loop.stop()
  })

  it('is stopped when its running round has ended, which the signal asks for, and starts no other', async (t) => {
    const { loop, rounds, logged, pass, endRound } = start(t)
    let isStopped = false
    const stopping = loop.stop().then(() => (isStopped = true))
    await nextTurn()
    assert.equal(rounds[0]?.signal.aborted, true)
    assert.equal(isStopped, false)
    await endRound(new Error('aborted'))
    await stopping
    await pass(10_000)
    assert.equal(rounds.length, 1)
    assert.deepEqual(logged, [])
  })

  it('is stopped at once during a pause', async (t) => {
    const { loop, rounds, endRound } = start(t)
    await endRound()
    await loop.stop()
    assert.equal(rounds.length, 1)
  })

  it('waits no longer than its limit for a round that does not end, and logs that', async (t) => {
    const { loop, logged, pass } = start(t, { stopMs: 3000 })
    const stopping = loop.stop()
    await pass(3000)
    await stopping
    assert.deepEqual(logged, ['worker did not stop in time'])
  })
})
