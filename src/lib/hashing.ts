import { availableParallelism } from 'node:os'
import { hash, type Options, verify } from '@node-rs/argon2'
import { FairQueue, type QueueStats } from './fair-queue.ts'
import { shareOf } from './networks.ts'
import { partOf } from './processes.ts'
import { createSemaphore } from './semaphore.ts'

/**
 * From OWASP's password storage cheat sheet: Argon2id, which is the library's default, with 19 MiB (memoryCost is in
 * KiB), 2 passes and 1 thread. One hash takes about 9 ms of one core.
 */
const COST: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export type HashCost = Required<Pick<Options, 'memoryCost' | 'timeCost' | 'parallelism'>>
/** At 9 ms each 64 requests wait for about 0.6 seconds on one core. */
const WAITING_MAX = 64
const RESERVED_FOR_KNOWN = 16
/** Requests that have their turn beyond one for each core, so that no core is idle while one of them waits for the database. */
const MORE_THAN_CORES = 1

export interface Hasher {
  hash(password: string): Promise<string>
  /** Takes as long without a hash as with one, so that the duration does not reveal whether an account exists. */
  verify(hash: string | undefined, password: string): Promise<boolean>
}

/** The client whose request needs the work. */
export interface HashingClient {
  ip: string
  isDisconnected(): boolean
}

export interface Hashing {
  /**
   * Waits for its turn, then does all the hashing of one request. `isKnown`: the account signed in from the client's
   * network recently. What must not happen when the request is refused, such as counting a failed attempt, belongs in
   * `work`. Throws the problem `overloaded` when too many requests wait.
   */
  run<Result>(
    client: HashingClient,
    options: { isKnown: boolean },
    work: (hasher: Hasher) => Promise<Result>,
  ): Promise<Result>
  stats(): QueueStats
}

const coresFor = (processes: number) => Math.max(1, Math.floor(availableParallelism() / processes))

/**
 * Computes as many hashes at once as there are cores; some requests wait and the rest is refused, because more would only
 * be slower. The processes of one node divide the cores and the waiting ones.
 */
export async function createHashing({
  processes = 1,
  cores = coresFor(processes),
  cost = COST,
} = {}): Promise<Hashing> {
  const queue = new FairQueue({
    atOnceMax: cores + MORE_THAN_CORES,
    waitingMax: partOf(WAITING_MAX, processes),
    reservedForKnown: partOf(RESERVED_FOR_KNOWN, processes),
  })
  const onCore = createSemaphore(cores)
  const placeholderHash = await hash(crypto.randomUUID(), cost)
  const hasher: Hasher = {
    hash: (password) => onCore(() => hash(password, cost)),
    async verify(storedHash, password) {
      const matches = await onCore(() => verify(storedHash ?? placeholderHash, password))
      return storedHash !== undefined && matches
    },
  }
  return {
    run: ({ ip, isDisconnected }, { isKnown }, work) =>
      queue.run({ share: shareOf(ip), isKnown, isDisconnected }, () => work(hasher)),
    stats: () => queue.stats,
  }
}
