import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { asWorker } from '../../database/scopes.ts'
import {
  KEYS_IN_USE,
  type KeyInUse,
  type KnownKeys,
  leavesEmails,
  type NodeKeys,
  RUNNING_NODES,
  refusedKeys,
  whyForeign,
} from '../../database/service-key.ts'
import type { KeyUse } from '../../lib/key-use.ts'
import type { Keys } from '../../lib/keys.ts'

/** How often the log repeats what is wrong. */
const LOG_MS = 60 * 60_000

const selectKeysInUse = statement<KeyInUse, [acceptedKids: string[]]>(KEYS_IN_USE)
const selectRunningNodes = statement<NodeKeys>(RUNNING_NODES)

async function findKnownKeys(database: Database, acceptedKids: string[]): Promise<KnownKeys> {
  const tx = database.autocommit(asWorker)
  const [inUse, nodes] = await Promise.all([selectKeysInUse(tx, acceptedKids), selectRunningNodes(tx)])
  return { inUse, nodes }
}

/** One sentence that says why what these keys sign is nothing worth to the service; undefined: they are its own. */
export async function findWhyForeign(database: Database, keys: Keys): Promise<string | undefined> {
  const kids = kidsOf(keys)
  return whyForeign(await findKnownKeys(database, kids), kids)
}

/** The one that signs comes first. */
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
    const kids = kidsOf(keys)
    const known = await findKnownKeys(database, kids)
    const reason = whyForeign(known, kids)
    this.#keyUse.maySeal = reason === undefined
    this.#keyUse.maySend = !leavesEmails(known, kids)
    if (reason !== undefined) this.#say('error', `${reason}. Until then this node signs no audit log`)
    else this.#say('warn', refusedKeys(known.inUse, kids).join('; '))
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
