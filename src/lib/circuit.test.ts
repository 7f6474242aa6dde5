import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { Circuit } from './circuit.ts'

const never = () => new Promise<never>(() => {})
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function createCircuit() {
  mock.timers.enable({ apis: ['setTimeout'] })
  const events: string[] = []
  const other = { probe: never as () => Promise<unknown> }
  const circuit = new Circuit({
    timeoutMs: 100,
    pauseMs: 3000,
    probe() {
      events.push('probe')
      return other.probe()
    },
    onOpened: (reason) => events.push(`opened: ${(reason as Error).message}`),
    onClosed: () => events.push('closed'),
  })
  return { circuit, events, other }
}

/** Lets the time pass, and everything that waits for it happen. */
async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms)
  for (let i = 0; i < 5; i++) await turn()
}

describe('a circuit', () => {
  it('passes answers on while they come', async (t) => {
    t.after(() => mock.timers.reset())
    const { circuit, events } = createCircuit()
    assert.equal(await circuit.run(async () => 7), 7)
    assert.deepEqual([circuit.isOpen, events], [false, []])
  })

  it('opens once when several answers are late, and closes with the first probe that is answered', async (t) => {
    t.after(() => mock.timers.reset())
    const { circuit, events, other } = createCircuit()
    const late = [circuit.run(never), circuit.run(never)].map((run) => assert.rejects(run, /No answer within 100 ms/))
    await pass(99)
    assert.equal(circuit.isOpen, false)
    await pass(1)
    await Promise.all(late)
    assert.deepEqual([circuit.isOpen, events], [true, ['opened: No answer within 100 ms']])

    await pass(3000)
    await pass(100)
    assert.deepEqual([circuit.isOpen, events.slice(1)], [true, ['probe']])
    other.probe = async () => {}
    await pass(3000)
    assert.deepEqual([circuit.isOpen, events.slice(1)], [false, ['probe', 'probe', 'closed']])
    assert.equal(await circuit.run(async () => 7), 7)
  })

  it('opens at an error', async (t) => {
    t.after(() => mock.timers.reset())
    const { circuit, events } = createCircuit()
    await assert.rejects(circuit.run(async () => assert.fail('refused')))
    assert.deepEqual([circuit.isOpen, events], [true, ['opened: refused']])
  })

  it('takes an answer that came while the process was busy', async (t) => {
    t.after(() => mock.timers.reset())
    const { circuit } = createCircuit()
    const answer = Promise.withResolvers<number>()
    const run = circuit.run(() => answer.promise)
    mock.timers.tick(100)
    answer.resolve(7)
    assert.equal(await run, 7)
    assert.equal(circuit.isOpen, false)
  })

  it('probes no more after its end', async (t) => {
    t.after(() => mock.timers.reset())
    const { circuit, events } = createCircuit()
    await assert.rejects(circuit.run(async () => assert.fail('refused')))
    circuit.end()
    await pass(10_000)
    assert.deepEqual(events, ['opened: refused'])
  })
})
