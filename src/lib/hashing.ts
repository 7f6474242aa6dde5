import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { FairQueue } from './fair-queue.ts'
import { shareOf } from './networks.ts'

// OWASP's password storage cheat sheet: Argon2id with 19 MiB, 2 passes, 1 lane (about 9 ms of one core).
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } // Argon2id is the library's default.
const WAITING_MAX = 64
const KEPT_FOR_KNOWN = 16

export interface Hasher {
  hash(password: string): Promise<string>
  /** Also without a hash it takes as long as with one, so that time does not tell who has an account. */
  verify(hash: string | undefined, password: string): Promise<boolean>
}

/** Who asks for the work. */
export interface HashingCaller {
  ip: string
  isGone(): boolean
}

export interface Hashing {
  /**
   * Waits for its turn, then does all the hashing of one request. `isKnown`: the account that it is about signed in from
   * the caller's network lately. What must not happen to a request that is refused because too many wait, such as
   * counting a failed attempt, belongs into `work`.
   */
  run<Result>(
    caller: HashingCaller,
    options: { isKnown: boolean },
    work: (hasher: Hasher) => Promise<Result>,
  ): Promise<Result>
}

/** Serves as many requests at once as there are cores, lets some wait, and refuses the rest: more would only be slower. */
export async function createHashing(atOnceMax = availableParallelism()): Promise<Hashing> {
  const queue = new FairQueue({ atOnceMax, waitingMax: WAITING_MAX, keptForKnown: KEPT_FOR_KNOWN })
  const hashOfNobody = await hash(crypto.randomUUID(), COST)
  const hasher: Hasher = {
    hash: (password) => hash(password, COST),
    async verify(known, password) {
      const matches = await verify(known ?? hashOfNobody, password)
      return known !== undefined && matches
    },
  }
  return {
    run: ({ ip, isGone }, { isKnown }, work) => queue.run({ share: shareOf(ip), isKnown, isGone }, () => work(hasher)),
  }
}
