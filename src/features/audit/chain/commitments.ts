import { createHmac, randomBytes } from 'node:crypto'
import { canonical } from './canonical.ts'
import { COMMITMENT, type Personal, type PersonalPart, SALT, type SealedRecord } from './sealed-record.ts'

// What is personal in a record of version 2, and the commitments that its hash covers in place of it
// (docs/decisions/0045-erasable-audit-records.md). These lists are part of version 2: changing one would make records of it
// invalid that are sealed. A field that is not in them counts as personal.

/** Labels that name no person. */
const OPEN_LABELS = new Set(['company', 'role', 'branch'])
/** What a change of a member tells about the company. */
const OPEN_CHANGES = new Set(['branches', 'roles', 'status'])

export type Part = keyof Personal
type Contents = Pick<SealedRecord, 'actor' | 'target' | 'changes' | 'ip' | 'user_agent' | 'request_id'>

export const newSalts = (): Record<Part, string> => ({ actor: newSalt(), target: newSalt() })
const newSalt = () => randomBytes(16).toString('hex')

/** What is hashed as it is, and stays when the target is erased. */
export function openPartsOf({ target, changes }: Contents) {
  return { label: hasOpenLabel(target) ? target.label : '', changes: changesWhere(changes, isOpen) }
}

/**
 * What the hash covers of a part: computed from values and salt, or what was left of them by an erasure. Of an erased part
 * nothing may be shown: values beside a commitment would be covered by nothing.
 */
export function commitmentTo(part: Part, record: Contents & { personal?: Personal | undefined }): string {
  const known = record.personal?.[part]
  if (!known) return ''
  if ('salt' in known) return commit(known, part, personalValues[part](record))
  return COMMITMENT.test(known.commitment) && isErased(part, record) ? known.commitment : ''
}

export const partFrom = (salt: string | null, commitment: string | null): PersonalPart => {
  if (salt === null) return { commitment: commitment ?? '' }
  // The service never keeps both. An empty salt belongs to no values.
  return { salt: commitment === null ? salt : '' }
}

function commit({ salt }: { salt: string }, part: Part, values: unknown): string {
  // Salts of several lengths could be one key.
  if (!SALT.test(salt)) return ''
  return createHmac('sha256', Buffer.from(salt, 'hex'))
    .update(canonical([part, values]))
    .digest('hex')
}

const personalValues: Record<Part, (record: Contents) => unknown> = {
  actor: ({ actor: { name, email }, ip, user_agent, request_id }) => ({ name, email, ip, user_agent, request_id }),
  target: ({ target, changes }) => ({
    label: hasOpenLabel(target) ? '' : target.label,
    changes: changesWhere(changes, (field) => !isOpen(field), changes),
  }),
}

/** What a record shows of a part that was erased. */
const ERASED: Record<Part, string> = {
  actor: canonical({ name: '', email: '', ip: null, user_agent: '', request_id: '' }),
  target: canonical({ label: '', changes: {} }),
}

const isErased = (part: Part, record: Contents) => canonical(personalValues[part](record)) === ERASED[part]

const hasOpenLabel = ({ type }: SealedRecord['target']) => OPEN_LABELS.has(type)
const isOpen = (field: string) => OPEN_CHANGES.has(field)

/** `otherwise`: of changes that were tampered with, so that they are no object. */
function changesWhere(changes: unknown, holds: (field: string) => boolean, otherwise: unknown = {}): unknown {
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes)) return otherwise
  return Object.fromEntries(Object.entries(changes).filter(([field]) => holds(field)))
}
