import assert from 'node:assert/strict'
import { it } from 'node:test'
import { firstHash, recordHash } from '../chain/hashing.ts'
import { exampleCheckpoint, exampleRecords } from './example.ts'

it('shows readers of the documentation a chain that holds, from its beginning to its signed end', () => {
  const { company, begins, seq, hash } = exampleCheckpoint
  assert.equal(begins.hash, firstHash(company))
  let previous = begins.hash
  for (const { seq, hash, ...record } of exampleRecords) {
    previous = recordHash(company, previous, seq, record)
    assert.equal(hash, previous)
  }
  assert.deepEqual([exampleRecords.length, previous], [seq, hash])
})
