import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SingleFlight } from './single-flight.ts'

/** Work that ends when the test says so; `runs` are those that have started. */
function controlledWork() {
  const runs: PromiseWithResolvers<string>[] = []
  const work = () => {
    const run = Promise.withResolvers<string>()
    runs.push(run)
    return run.promise
  }
  return { runs, work }
}

describe('single flight', () => {
  it('gives calls that come during a run the result of one run that starts after it', async () => {
    const { runs, work } = controlledWork()
    const flight = new SingleFlight<string>()
    const [first, second, third] = [flight.run('a', work), flight.run('a', work), flight.run('a', work)]
    assert.equal(runs.length, 1)

    runs[0]?.resolve('one')
    assert.equal(await first, 'one')
    assert.equal(runs.length, 2)
    runs[1]?.resolve('two')

    assert.deepEqual(await Promise.all([second, third]), ['two', 'two'])
    assert.equal(runs.length, 2)
  })

  it('starts the next run also when the one before failed, and fails only those who waited for it', async () => {
    const { runs, work } = controlledWork()
    const flight = new SingleFlight<string>()
    const [first, second] = [flight.run('a', work), flight.run('a', work)]
    const failed = assert.rejects(first, /broken/)
    runs[0]?.reject(new Error('broken'))
    await failed
    runs[1]?.resolve('two')
    assert.equal(await second, 'two')
  })

  it('runs other keys meanwhile', async () => {
    const { runs, work } = controlledWork()
    const flight = new SingleFlight<string>()
    const both = [flight.run('a', work), flight.run('b', work)]
    assert.equal(runs.length, 2)
    for (const [index, run] of runs.entries()) run.resolve(String(index))
    assert.deepEqual(await Promise.all(both), ['0', '1'])
  })
})
