import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../problems.ts'
import { FairQueue, type Requester } from './fair-queue.ts'

/** A queue whose one worker is held until `release`, and what it did in which order. */
function heldQueue(waitingMax = 4, keptForKnown = 2) {
  const queue = new FairQueue({ atOnceMax: 1, waitingMax, keptForKnown })
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const done: string[] = []
  const refused: string[] = []
  const all: Promise<void>[] = [queue.run(stranger('holder'), () => held)]
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

const stranger = (share: string, isGone = () => false): Requester => ({ share, isKnown: false, isGone })
const known = (share: string): Requester => ({ share, isKnown: true, isGone: () => false })

describe('work for which more ask than can be served', () => {
  it('is done in rotation between the shares, in the order of coming within one', async () => {
    const { enter, finish } = heldQueue(9)
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) enter(name, stranger(name[0] as string))
    assert.equal(await finish(), 'a1 b1 c1 a2 b2 a3')
  })

  it('lets one share that is alone use all places, and refuses what is more', async () => {
    const { enter, finish, refused } = heldQueue()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) enter(name, stranger('a'))
    assert.equal(await finish(), 'a1 a2 a3 a4')
    assert.deepEqual(refused, ['a5 overloaded'])
  })

  it('gives a share that comes later a place of the longest line, whose newest is refused', async () => {
    const { enter, finish, refused } = heldQueue()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1', 'a5']) enter(name, stranger(name[0] as string))
    assert.equal(await finish(), 'a1 b1 c1 b2')
    assert.deepEqual(
      refused.sort(),
      ['a2', 'a3', 'a4', 'a5', 'b3'].map((name) => `${name} overloaded`),
    )
  })

  it('refuses newcomers while every share waits for one place only', async () => {
    const { enter, finish, refused } = heldQueue()
    for (const share of ['a', 'b', 'c', 'd', 'e']) enter(share, stranger(share))
    assert.equal(await finish(), 'a b c d')
    assert.deepEqual(refused, ['e overloaded'])
  })

  it('keeps places for known requesters, and serves them in turn with strangers', async () => {
    const { enter, finish, refused } = heldQueue()
    for (const share of ['a', 'b', 'c', 'd', 'e']) enter(share, stranger(share))
    for (const share of ['k', 'l', 'm']) enter(share, known(share))
    assert.equal(await finish(), 'k a l b c d')
    assert.deepEqual(refused, ['e overloaded', 'm overloaded'])
  })

  it('takes back from known requesters what they borrowed when strangers come', async () => {
    const { enter, finish, refused } = heldQueue()
    for (const share of ['k', 'l', 'm', 'n', 'o', 'p']) enter(share, known(share))
    enter('a', stranger('a'))
    assert.equal(await finish(), 'l a m n o p')
    assert.deepEqual(refused, ['k overloaded'])
  })

  it('is skipped when its requester has gone, and frees the place for others', async () => {
    const { enter, finish, refused } = heldQueue()
    const gone = new Set(['a', 'c'])
    for (const share of ['a', 'b', 'c', 'd', 'e'])
      enter(
        share,
        stranger(share, () => gone.has(share)),
      )
    gone.add('d')
    assert.equal(await finish(), 'b e')
    assert.deepEqual(refused, ['a overloaded', 'c overloaded', 'd overloaded'])
  })

  it('leaves nothing behind when it fails or is refused', async () => {
    const { queue, enter, finish } = heldQueue()
    const failing = assert.rejects(
      queue.run(stranger('x'), () => Promise.reject(new Error('broken'))),
      /broken/,
    )
    for (const name of ['a1', 'a2', 'a3', 'a4']) enter(name, stranger('a'))
    await finish()
    await failing
    assert.equal(await queue.run(stranger('b'), async () => 'served'), 'served')
  })
})
