import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Tx } from '../../database/open.ts'
import { withIdempotency } from './replay.ts'
import type { IdempotencyStore, Reservation } from './store.ts'

/** What becomes of the key of one request in a company, whose response has so many characters and more. */
async function outcomeOf(length: number, query: object): Promise<string[]> {
  const done: string[] = []
  const reservation: Reservation = {
    async store() {
      done.push('stored')
    },
    async storeAfterCommit() {
      done.push('stored afterwards')
    },
    async release() {
      done.push('released')
    },
  }
  const store = { reserve: async () => reservation } as Partial<IdempotencyStore> as IdempotencyStore
  const response = { status: 200, body: { data: 'x'.repeat(length) }, isReplayed: false }
  const handle = withIdempotency(
    store,
    { inTransaction: true, secret: undefined },
    async (_request, _reply, beforeCommit) => {
      await beforeCommit({} as Tx, response)
      done.push('committed')
      return response
    },
  )
  assert.equal(await handle({ query } as FastifyRequest, {} as FastifyReply), response)
  return done
}

describe('the response of a dry run', () => {
  it('is kept while it is short, in the transaction', async () => {
    assert.deepEqual(await outcomeOf(60_000, { dryRun: 'true' }), ['stored', 'committed'])
  })

  it('is not kept when it is long: its key is free again, so that a repetition looks anew', async () => {
    assert.deepEqual(await outcomeOf(70_000, { dryRun: 'true' }), ['committed', 'released'])
  })

  it('is kept like any other when it was no dry run, however long', async () => {
    assert.deepEqual(await outcomeOf(70_000, { dryRun: 'false' }), ['stored', 'committed'])
  })
})
