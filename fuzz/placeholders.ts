import { totpCode, totpStepAt } from '../src/lib/totp.ts'
import { PASSWORD } from '../test/support/people.ts'
import type { Caller } from './callers.ts'
import type { DatabaseState, Row } from './database-state.ts'
import { CREDENTIALS } from './passkeys.ts'
import type { Placeholder } from './values.ts'
import type { World } from './world.ts'

/** The caller and the company that "own" refers to. */
export interface Requester {
  caller: Caller
  companyId: string
  /** For a placeholder in a body, where an account is more often one to add than an existing member. */
  inBody: boolean
}

/** The value of a placeholder in this world; undefined when there is none. */
export function resolvePlaceholder(world: World, { noun, nth }: Placeholder, requester: Requester): string | undefined {
  const special = specials[noun]
  if (special) return special(world, nth, requester)
  return fromTable(world, { noun, nth }, requester)
}

function fromTable(world: World, { noun, nth }: Pick<Placeholder, 'noun' | 'nth'>, requester: Requester): string {
  const { own, others } = candidates(world.state, noun, requester)
  const preferred = requester.inBody && tableOf(world.state, noun) === 'accounts' && nth % 2 === 0 ? others : own
  return choose(preferred.length > 0 ? preferred : [...own, ...others], nth)?.id ?? unusedId(nth)
}

/** The id of a resource of the same kind in another company or of another account. */
export function foreignId(world: World, { noun, nth }: Placeholder, requester: Requester): string {
  return choose(candidates(world.state, noun, requester).others, nth)?.id ?? unusedId(nth)
}

/** An id that does not exist. */
export const unusedId = (nth: number) => `0190a7b2-0000-7000-8000-${String(nth).padStart(12, '0')}`

const choose = <Item>(items: Item[], nth: number): Item | undefined => items[nth % items.length]

function candidates(state: DatabaseState, noun: string, requester: Requester): { own: Row[]; others: Row[] } {
  const table = tableOf(state, noun)
  const rows = state.rows.get(table) ?? []
  const isOwn = (row: Row) => {
    if (table === 'accounts') return state.memberships.has(`${requester.companyId} ${row.id}`)
    if (table === 'companies') return row.id === requester.companyId
    return row.companyId ? row.companyId === requester.companyId : row.accountId === requester.caller.accountId
  }
  const { own = [], others = [] } = Object.groupBy(rows, (row) => (isOwn(row) ? 'own' : 'others'))
  return { own, others }
}

/** Nouns of ids that differ from the name of their table. */
const aliases: Record<string, string> = {
  users: 'accounts',
  actors: 'accounts',
  members: 'accounts',
  targets: 'accounts',
  join_roles: 'roles',
}

/** `role`, `roles`, `branch` → the table; by its last word where its name has several. */
export function tableOf(state: DatabaseState, noun: string): string {
  const word = noun.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`).replace(/-/g, '_')
  const plurals = [word, `${word}s`, `${word}es`, word.replace(/y$/, 'ies')]
  const known = plurals.find((plural) => aliases[plural] || state.rows.has(plural))
  if (known) return aliases[known] ?? known
  return [...state.rows.keys()].find((table) => plurals.some((plural) => table.endsWith(`_${plural}`))) ?? noun
}

type Special = (world: World, nth: number, requester: Requester) => string | undefined

const specials: Record<string, Special> = {
  email: ({ state }, nth) => choose([...state.emails.values()], nth),
  password: (_world, _nth, { caller }) => (caller.accountId ? caller.password : PASSWORD),
  refreshToken: ({ callers }, nth, { caller }) =>
    caller.accountId
      ? caller.refreshToken
      : choose(
          callers.filter(({ accountId }) => accountId),
          nth,
        )?.refreshToken,
  challenge: ({ challenges }, nth) => choose(challenges, nth),
  recoveryCode: ({ recoveryCodes }, nth) => choose(recoveryCodes, nth),
  code: ({ callers }, nth, { caller }) => {
    const secret = choose(caller.apps ? [...caller.apps] : callers.flatMap(({ apps = [] }) => apps), nth)
    return secret && totpCode(secret, totpStepAt(Date.now()))
  },
  token: ({ linkTokens, ownTokens }, nth, { caller }) =>
    (nth % 2 === 0 ? ownTokens.get(caller.accountId ?? '') : undefined) ?? choose(linkTokens, nth),
  joinToken: ({ joinTokens, linkTokens }, nth) => choose(nth % 8 === 0 ? linkTokens : joinTokens, nth),
  invitation: (world, nth, requester) =>
    (nth % 2 === 0 ? world.ownInvitations.get(requester.caller.accountId ?? '') : undefined) ??
    fromTable(world, { noun: 'invitation', nth }, requester),
  ...Object.fromEntries(
    CREDENTIALS.map(([noun, purpose]): [string, Special] => [
      noun,
      ({ passkeys }, nth, { caller }) => passkeys.choose(purpose, nth, caller),
    ]),
  ),
  cursor: ({ cursors }, nth) => choose(cursors, nth),
  roleName: ({ ownRoleNames }, nth, { companyId }) => choose(ownRoleNames.get(companyId) ?? ['Member'], nth),
  fragment: ({ canaries }, nth) => choose(canaries.fragments(), nth),
}
