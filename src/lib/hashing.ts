import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { problem } from '../problems.ts'

// OWASP's password storage cheat sheet: Argon2id with 19 MiB, 2 passes, 1 lane (about 9 ms of one core).
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } // Argon2id is the library's default.
const QUEUE_LENGTH_MAX = 64
const RETRY_AFTER_SECONDS = 2

export interface Hashing {
  hash(password: string): Promise<string>
  /** Also without a hash it takes as long as with one, so that time does not tell who has an account. */
  verify(hash: string | undefined, password: string): Promise<boolean>
}

/** Hashes as many passwords at once as there are cores, lets some wait, and refuses the rest: more would only be slower. */
export async function createHashing(atOnceMax = availableParallelism()): Promise<Hashing> {
  const gate = createGate(atOnceMax)
  const nobodys = await hash(crypto.randomUUID(), COST)
  return {
    hash: (password) => gate(() => hash(password, COST)),
    async verify(known, password) {
      const matches = await gate(() => verify(known ?? nobodys, password))
      return known !== undefined && matches
    },
  }
}

function createGate(atOnceMax: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let free = atOnceMax
  return async (work) => {
    if (free > 0) free--
    else {
      if (waiting.length >= QUEUE_LENGTH_MAX) throw problem('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The place passes on without becoming free in between.
      if (next) next()
      else free++
    }
  }
}
