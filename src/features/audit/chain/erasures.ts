import type { SealedRecord } from './sealed-record.ts'

type Place = Pick<SealedRecord, 'seq' | 'id'>

/** The account of a part that names people by an address alone: an erasure of any of them may have taken it. */
const ANY = ''

/**
 * Looks for parts that were erased without the record that every erasure writes first. Who can write to the database could
 * otherwise take people out of the log without a trace.
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
    const isNamedById = target.type === 'account' || target.type === 'member'
    if ('commitment' in personal.actor) this.#note(actor.id ?? ANY, { seq, id })
    if ('commitment' in personal.target) this.#note(isNamedById ? target.id : ANY, { seq, id })
  }

  get firstUnrecorded(): Place | undefined {
    return [...this.#unrecorded.values()].sort((one, other) => one.seq - other.seq)[0]
  }

  #note(account: string, place: Place): void {
    if (!this.#unrecorded.has(account)) this.#unrecorded.set(account, place)
  }
}
