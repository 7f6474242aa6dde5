import type { Part } from './commitments.ts'
import type { SealedRecord } from './sealed-record.ts'

type Place = Pick<SealedRecord, 'seq' | 'id'>

/** So that a record of an erasure is never too long to be kept whole. */
export const POSITIONS_MAX = 300

/** What the record of an erasure says about parts that name the person by an address alone. */
export function positionsOf(part: Part, records: readonly { seq: number | null }[]) {
  return { [FIELDS[part]]: { to: records.map(({ seq }) => String(seq)) } }
}

const FIELDS: Record<Part, string> = { actor: 'erased_actors', target: 'erased_targets' }

/**
 * Looks for parts that were erased without the record that every erasure writes first, or that no erasure takes. Who can write to the
 * database, or hands out an export, could otherwise take people, or what they did, out of the log without a trace.
 */
export class Erasures {
  /** The first of each account. */
  readonly #byAccount = new Map<string, Place>()
  /** Those that belong to no account's id: the ids of their records by position. */
  readonly #byPosition: Record<Part, Map<number, string>> = { actor: new Map(), target: new Map() }

  add({ seq, id, action, outcome, actor, target, changes, personal }: SealedRecord): void {
    if (!personal) return
    if (action === 'audit.erase' && outcome === 'done' && actor.kind === 'operator') {
      this.#byAccount.delete(target.id)
      for (const part of PARTS) for (const erased of positionsIn(changes, part)) this.#byPosition[part].delete(erased)
    }
    if ('commitment' in personal.actor) this.#note('actor', actor.id, { seq, id })
    if ('commitment' in personal.target) this.#note('target', accountOfTarget(action, target), { seq, id })
  }

  get firstUnrecorded(): Place | undefined {
    const byPosition = PARTS.flatMap((part) =>
      [...this.#byPosition[part]].slice(0, 1).map(([seq, id]) => ({ seq, id })),
    )
    return [...this.#byAccount.values(), ...byPosition].sort((one, other) => one.seq - other.seq)[0]
  }

  #note(part: Part, account: string | null, place: Place): void {
    if (account === null) this.#byPosition[part].set(place.seq, place.id)
    else if (!this.#byAccount.has(account)) this.#byAccount.set(account, place)
  }
}

const PARTS = ['actor', 'target'] as const satisfies Part[]

function positionsIn(changes: unknown, part: Part): number[] {
  const positions = (changes as Partial<Record<string, { to?: unknown } | null>> | null)?.[FIELDS[part]]?.to
  return Array.isArray(positions) ? positions.map(Number) : []
}

/** A record of an erasure keeps what it says, because the verification looks for it. */
function accountOfTarget(action: string, { type, id }: SealedRecord['target']): string | null {
  return (type === 'account' || type === 'member') && action !== 'audit.erase' ? id : null
}
