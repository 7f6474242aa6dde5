import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createHashing } from './hashing.ts'

const client = (host: number) => ({ ip: `192.0.${host}.1`, isDisconnected: () => false })

it('hashes for another request while one that has its turn waits for something else', async () => {
  const hashing = await createHashing({ cores: 1 })
  const waited = Promise.withResolvers<void>()
  const waiting = hashing.run(client(1), { isKnown: false }, () => waited.promise)
  const hash = await hashing.run(client(2), { isKnown: false }, (hasher) => hasher.hash('Correct-horse-7'))
  assert.match(hash, /^\$argon2id\$/)
  waited.resolve()
  await waiting
})

it('computes the hashes of two turns one after the other on one core', async () => {
  const hashing = await createHashing({ cores: 1 })
  const order: string[] = []
  const hashTwice = (name: string, host: number) =>
    hashing.run(client(host), { isKnown: false }, async (hasher) => {
      // Both are asked for at once. The second one of the first turn comes before the other turn gets the core.
      await Promise.all(['1', '2'].map((number) => hasher.hash(number).then(() => order.push(`${name} ${number}`))))
    })
  await Promise.all([hashTwice('first', 1), hashTwice('second', 2)])
  assert.deepEqual(order, ['first 1', 'first 2', 'second 1', 'second 2'])
})
