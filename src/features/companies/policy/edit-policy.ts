import { findRolesById, keyOf } from '../../../access/roles.ts'
import type { Tx } from '../../../database/open.ts'
import { contains, withoutContained } from '../../../lib/network-lists.ts'
import { problem } from '../../../problems.ts'
import type { Changes } from '../../audit/records.ts'
import { columnsOf, type PolicyColumns } from './policy.ts'
import { GRACE_DAYS_MAX, type Policy, type PolicyUpdate } from './schemas.ts'

const DAY_MS = 86_400_000

/** The policy as it would be, and its columns. */
export async function nextPolicy(
  tx: Tx,
  now: Policy,
  wanted: PolicyUpdate,
): Promise<{ next: Policy; columns: PolicyColumns }> {
  const merged = merge(now, wanted)
  const { required, roleIds, from } = merged.secondFactor
  if (from !== now.secondFactor.from && from !== null && Date.parse(from) > Date.now() + GRACE_DAYS_MAX * DAY_MS)
    throw problem('grace_too_long')
  if (required === 'roles' && roleIds.length === 0)
    throw problem('validation_failed', { details: [{ path: 'secondFactor.roleIds', message: 'can’t be empty' }] })
  const { roles, isOneUnknown } = await (roleIds.length > 0
    ? findRolesById(tx, roleIds)
    : { roles: [], isOneUnknown: false })
  if (isOneUnknown) throw problem('role_unknown')
  return { next: merged, columns: columnsOf(merged, roles.map(keyOf)) }
}

/** Lists are in order and without repetitions, and what has no effect is at its default, so that equal policies look equal. */
function merge(now: Policy, wanted: PolicyUpdate): Policy {
  const { required, roleIds, from } = withChanges(now.secondFactor, wanted.secondFactor)
  const members = withChanges(now.members, wanted.members)
  return {
    secondFactor: {
      required,
      roleIds: required === 'roles' ? [...new Set(roleIds)].sort() : [],
      from: required === 'nobody' || from === null ? null : new Date(from).toISOString(),
    },
    sessions: withChanges(now.sessions, wanted.sessions),
    networks: { allow: withoutContained(withChanges(now.networks, wanted.networks).allow) },
    members: { ...members, domains: [...new Set(members.domains)].sort() },
    passwords: withChanges(now.passwords, wanted.passwords),
  }
}

const withChanges = <Fields extends object>(
  now: Fields,
  wanted: { [Name in keyof Fields]?: Fields[Name] | undefined } = {},
) => ({ ...now, ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)) }) as Fields

/** For the audit log, by the names of the fields, which are different in all parts of a policy. */
export function changesBetween(now: Policy, next: Policy): Changes {
  const [before, after] = [fieldsOf(now), fieldsOf(next)]
  const names = Object.keys(before) as (keyof typeof before)[]
  return Object.fromEntries(
    names
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, { from: before[name], to: after[name] }]),
  )
}

const fieldsOf = ({ secondFactor, sessions, networks, members, passwords }: Policy) => ({
  ...secondFactor,
  ...sessions,
  ...networks,
  ...members,
  ...passwords,
})

/** Whether any field admits more than before: an intruder's first step. */
export function isLooser(now: Policy, next: Policy): boolean {
  return (
    asksFewer(now, next) ||
    (['maxAgeHours', 'idleMinutes', 'stepUpMinutes'] as const).some((name) =>
      isGreater(next.sessions[name], now.sessions[name]),
    ) ||
    (now.networks.allow.length > 0 &&
      !areAllIn(next.networks.allow, (network) => now.networks.allow.some((old) => contains(old, network)))) ||
    (now.members.domains.length > 0 &&
      (!areAllIn(next.members.domains, (domain) => now.members.domains.includes(domain)) ||
        (next.members.appliesTo === 'invitations' && now.members.appliesTo !== 'invitations'))) ||
    next.passwords.minLength < now.passwords.minLength ||
    (now.passwords.refuseCommon && !next.passwords.refuseCommon)
  )
}

/** What a change of a policy asks for that the policy did not ask for before, or not so soon. */
export interface Tightening {
  /** Some address that was admitted is admitted no more. */
  narrowsNetworks: boolean
  asksFactorSooner: boolean
  asksBetterPasswords: boolean
}

export const tighteningFrom = (now: Policy, next: Policy): Tightening => ({
  narrowsNetworks:
    next.networks.allow.length > 0 &&
    !areAllIn(now.networks.allow, (network) => next.networks.allow.some((wide) => contains(wide, network))),
  asksFactorSooner: momentOf(next) < momentOf(now) && momentOf(now) > Date.now(),
  asksBetterPasswords:
    next.passwords.minLength > now.passwords.minLength || (next.passwords.refuseCommon && !now.passwords.refuseCommon),
})

/** From when on a second factor is asked for, of whomever. */
function momentOf({ secondFactor: { required, from } }: Policy): number {
  if (required === 'nobody') return Infinity
  return from === null ? 0 : Date.parse(from)
}

function asksFewer(now: Policy, next: Policy): boolean {
  const [former, factor] = [now.secondFactor, next.secondFactor]
  if (former.required === 'nobody') return false
  if (momentOf(next) > Math.max(momentOf(now), Date.now())) return true
  if (factor.required === 'everybody') return false
  return former.required === 'everybody' || !former.roleIds.every((id) => factor.roleIds.includes(id))
}

/** Without a number there is no limit. */
const isGreater = (next: number | null, now: number | null) => now !== null && (next === null || next > now)

/** An empty list admits everything. */
const areAllIn = (list: string[], isIn: (item: string) => boolean) => list.length > 0 && list.every(isIn)
