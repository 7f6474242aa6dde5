import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../problems.ts'
import { FairQueue, type Requester } from './fair-queue.ts'

/** A queue whose only worker is busy until `finish`, which returns what ran, in its order. */
function busyQueue(waitingMax = 4, reservedForKnown = 2) {
  const queue = new FairQueue({ atOnceMax: 1, waitingMax, reservedForKnown })
  const { promise: busy, resolve: release } = Promise.withResolvers<void>()
  const done: string[] = []
  const refused: string[] = []
  const all: Promise<void>[] = [queue.run(unknown('worker'), () => busy)]
  const enter = (name: string, requester: Requester) => {
    const work = queue.run(requester, async () => void done.push(name))
    all.push(
      work.catch((error) => void refused.push(error instanceof Problem ? `${name} ${error.code}` : String(error))),
    )
  }
  const finish = async () => {
    release()
    await Promise.all(all)
    return done.join(' ')
  }
  return { queue, enter, finish, refused }
}

const unknown = (share: string, isDisconnected = () => false): Requester => ({ share, isKnown: false, isDisconnected })
const known = (share: string): Requester => ({ share, isKnown: true, isDisconnected: () => false })

describe('a fair queue', () => {
  it('serves shares in rotation, and each share in the order of its requests', async () => {
    const { enter, finish } = busyQueue(9)
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) enter(name, unknown(name[0] as string))
    assert.equal(await finish(), 'a1 b1 c1 a2 b2 a3')
  })

  it('lets a share that is alone use all places, and refuses more', async () => {
    const { enter, finish, refused } = busyQueue()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) enter(name, unknown('a'))
    assert.equal(await finish(), 'a1 a2 a3 a4')
    assert.deepEqual(refused, ['a5 overloaded'])
  })

  it('gives a later share a place of the longest queue, whose newest requester is refused', async () => {
    const { enter, finish, refused } = busyQueue()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1', 'a5']) enter(name, unknown(name[0] as string))
    assert.equal(await finish(), 'a1 b1 c1 b2')
    assert.deepEqual(
      refused.sort(),
      ['a2', 'a3', 'a4', 'a5', 'b3'].map((name) => `${name} overloaded`),
    )
  })

  it('refuses new requesters while every share waits for one place only', async () => {
    const { enter, finish, refused } = busyQueue()
    for (const share of ['a', 'b', 'c', 'd', 'e']) enter(share, unknown(share))
    assert.equal(await finish(), 'a b c d')
    assert.deepEqual(refused, ['e overloaded'])
  })

  it('reserves places for known requesters, and serves them alternately with unknown ones', async () => {
    const { enter, finish, refused } = busyQueue()
    for (const share of ['a', 'b', 'c', 'd', 'e']) enter(share, unknown(share))
    for (const share of ['k', 'l', 'm']) enter(share, known(share))
    assert.equal(await finish(), 'k a l b c d')
    assert.deepEqual(refused, ['e overloaded', 'm overloaded'])
  })

  it('takes borrowed places back from known requesters when unknown ones come', async () => {
    const { enter, finish, refused } = busyQueue()
    for (const share of ['k', 'l', 'm', 'n', 'o', 'p']) enter(share, known(share))
    enter('a', unknown('a'))
    assert.equal(await finish(), 'l a m n o p')
    assert.deepEqual(refused, ['k overloaded'])
  })

  it('skips work whose requester has disconnected, and frees its place', async () => {
    const { enter, finish, refused } = busyQueue()
    const disconnected = new Set(['a', 'c'])
    for (const share of ['a', 'b', 'c', 'd', 'e'])
      enter(
        share,
        unknown(share, () => disconnected.has(share)),
      )
    disconnected.add('d')
    assert.equal(await finish(), 'b e')
    assert.deepEqual(refused, ['a overloaded', 'c overloaded', 'd overloaded'])
  })

  it('frees its places when work fails or is refused', async () => {
    const { queue, enter, finish } = busyQueue()
    const failing = assert.rejects(
      queue.run(unknown('x'), () => Promise.reject(new Error('broken'))),
      /broken/,
    )
    for (const name of ['a1', 'a2', 'a3', 'a4']) enter(name, unknown('a'))
    await finish()
    await failing
    assert.equal(await queue.run(unknown('b'), async () => 'served'), 'served')
  })
})
