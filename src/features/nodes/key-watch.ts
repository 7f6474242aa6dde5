import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { asWorker } from '../../database/scopes.ts'
import { KEYS_IN_USE, type KeyInUse, refusedKeys, whyForeign } from '../../database/service-key.ts'
import type { KeyUse } from '../../lib/key-use.ts'
import type { Keys } from '../../lib/keys.ts'

/** How often the log repeats what is wrong. */
const LOG_MS = 60 * 60_000

const selectKeysInUse = statement<KeyInUse, [acceptedKids: string[]]>(KEYS_IN_USE)

/** The keys in use, the one of the service first. */
export const findKeysInUse = (database: Database, keys: Keys): Promise<KeyInUse[]> =>
  selectKeysInUse(database.autocommit(asWorker), kidsOf(keys))

/** One sentence that says why what these keys sign is nothing worth to the service; undefined: they are its own. */
export const findWhyForeign = async (database: Database, keys: Keys): Promise<string | undefined> =>
  whyForeign(await findKeysInUse(database, keys), kidsOf(keys))

const kidsOf = ({ accepted }: Keys): string[] => accepted.map(({ kid }) => kid)

/**
 * Compares the keys of this node with those in use. A node with another secret than the service seals no audit log and leaves
 * emails to the others, until it has the right one; it serves, for nothing of that may keep a service from its start.
 * See docs/decisions/0039-rotating-the-secret.md.
 */
export class KeyWatch {
  readonly #keyUse: KeyUse
  readonly #log: Logger
  #logged: string | undefined
  #logAgainAt = 0

  /** Until it has looked for the first time, this node may not seal. */
  constructor(keyUse: KeyUse, log: Logger) {
    this.#keyUse = keyUse
    this.#log = log
    keyUse.maySeal = false
  }

  async look(database: Database, keys: Keys): Promise<void> {
    const inUse = await findKeysInUse(database, keys)
    const reason = whyForeign(inUse, kidsOf(keys))
    this.#keyUse.maySeal = reason === undefined
    this.#keyUse.maySend = reason === undefined || inUse[0]?.hosts.length === 0
    if (reason !== undefined) this.#say('error', `${reason}. Until then this node signs no audit log`)
    else this.#say('warn', refusedKeys(inUse, kidsOf(keys)).join('; '))
  }

  /** Once, and every hour while it lasts; an empty text: nothing is wrong. */
  #say(level: 'error' | 'warn', text: string): void {
    const now = performance.now()
    if (text === '' && this.#logged) this.#log.info('all nodes have the same secret again')
    if (text !== '' && (text !== this.#logged || now >= this.#logAgainAt)) {
      this.#log[level](text)
      this.#logAgainAt = now + LOG_MS
    }
    this.#logged = text
  }
}
