import { mock } from 'node:test'
import type { Hashing } from '../../src/lib/hashing.ts'
import type { TestApp } from './app.ts'

/** Counts the passwords that are verified, which is what a sign-in takes its time for. */
export function countHashes({ parts }: TestApp) {
  const { hashing } = parts
  const run = hashing.run.bind(hashing)
  let count = 0
  const counting: Hashing['run'] = (caller, options, work) =>
    run(caller, options, (hasher) =>
      work({
        hash: hasher.hash,
        verify(hash, password) {
          count++
          return hasher.verify(hash, password)
        },
      }),
    )
  const { mock: counted } = mock.method(hashing, 'run', counting)
  const take = () => {
    const taken = count
    count = 0
    return taken
  }
  return { take, restore: () => counted.restore() }
}
