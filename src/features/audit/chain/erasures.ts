import type { SealedRecord } from './sealed-record.ts'

type Place = Pick<SealedRecord, 'seq' | 'id'>

/** The account of a part that names people by an address alone: an erasure of any of them may have taken it. */
const ANY = ''
/** The account of a part that no erasure takes. */
const NOT_ERASED = 'not erased'

/** Kinds of things that people are named by in no other way than by an id. Any other kind may be labeled with an address. */
export const NAMED_BY_ID: readonly string[] = ['account', 'member', 'session', 'company', 'role', 'branch', 'route']
/** But records of these actions name people by their addresses. Their targets are companies. */
export const namesByAddress = (action: string): boolean => action.startsWith('ownership.')

/**
 * Looks for parts that were erased without the record that every erasure writes first, or that no erasure takes. Who can write to the
 * database, or hands out an export, could otherwise take people, or what they did, out of the log without a trace.
 */
export class Erasures {
  /** The first of each account. */
  readonly #unrecorded = new Map<string, Place>()

  add({ seq, id, action, outcome, actor, target, personal }: SealedRecord): void {
    if (!personal) return
    if (action === 'audit.erase' && outcome === 'done' && actor.kind === 'operator') {
      this.#unrecorded.delete(target.id)
      this.#unrecorded.delete(ANY)
    }
    if ('commitment' in personal.actor) this.#note(accountOfActor(actor), { seq, id })
    if ('commitment' in personal.target) this.#note(accountOfTarget(action, target), { seq, id })
  }

  get firstUnrecorded(): Place | undefined {
    return [...this.#unrecorded.values()].sort((one, other) => one.seq - other.seq)[0]
  }

  #note(account: string, place: Place): void {
    if (!this.#unrecorded.has(account)) this.#unrecorded.set(account, place)
  }
}

/** Operators and the service itself have no account and no address. */
function accountOfActor({ id, kind }: SealedRecord['actor']): string {
  if (id !== null) return id
  return kind === 'operator' || kind === 'service' ? NOT_ERASED : ANY
}

/** A record of an erasure keeps what it says, because the verification looks for it. */
function accountOfTarget(action: string, { type, id }: SealedRecord['target']): string {
  if (type === 'account' || type === 'member') return action === 'audit.erase' ? NOT_ERASED : id
  return NAMED_BY_ID.includes(type) && !namesByAddress(action) ? NOT_ERASED : ANY
}
