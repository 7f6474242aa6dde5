import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { it } from 'node:test'
import { type Awaited, Deadlines } from './deadlines.ts'

const HOUR_MS = 3_600_000

/** Expires after so many milliseconds from now. */
function awaiting(ms: number) {
  const expired = Promise.withResolvers<void>()
  let times = 0
  const sent: Awaited = {
    dueAt: performance.now() + ms,
    expire: () => {
      times++
      expired.resolve()
    },
  }
  return { sent, expired: expired.promise, times: () => times }
}

it('what is not answered in time expires once, also behind what may take longer', async () => {
  const deadlines = new Deadlines()
  const [slow, short, later] = [awaiting(HOUR_MS), awaiting(5), awaiting(10)]
  for (const { sent } of [slow, short, later]) deadlines.add(sent)
  await Promise.all([short.expired, later.expired])
  assert.deepEqual([slow.times(), short.times(), later.times()], [0, 1, 1])
})

it('what was answered never expires, and what comes after it still does', async () => {
  const deadlines = new Deadlines()
  const [answered, refused, last] = [awaiting(5), awaiting(5), awaiting(10)]
  for (const { sent } of [answered, refused, last]) deadlines.add(sent)
  deadlines.remove(refused.sent)
  deadlines.remove(answered.sent)
  deadlines.remove(answered.sent)
  await last.expired
  const next = awaiting(5)
  deadlines.add(next.sent)
  await next.expired
  assert.deepEqual([answered.times(), refused.times(), last.times(), next.times()], [0, 0, 1, 1])
})

it('a pause of the process ends nothing whose answer has arrived meanwhile, and still what has none', async (t) => {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const near = net.connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [[far]] = await Promise.all([once(server, 'connection'), once(near, 'connect')])
  t.after(() => {
    for (const socket of [near, far]) socket.destroy()
    server.close()
  })

  for (const round of [1, 2]) {
    const deadlines = new Deadlines()
    const [answered, silent] = [awaiting(5), awaiting(5)]
    for (const { sent } of [answered, silent]) deadlines.add(sent)
    near.once('data', () => deadlines.remove(answered.sent))
    far.write('answer')
    pauseProcess(200)
    await silent.expired
    assert.deepEqual([answered.times(), silent.times()], [0, 1], `round ${round}`)
  }
})

const pauseProcess = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
