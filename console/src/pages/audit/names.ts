import type { AuditRecord } from '@tenantry/client'
import { createContext, useContext } from 'react'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'

type Target = AuditRecord['target']

export interface Names {
  /** The name of a person, where it is known, otherwise what the record says. */
  ofTarget: (target: Target) => string
  ofEmail: (email: string) => string
}

const Context = createContext<Names>({ ofTarget: ({ label }) => label, ofEmail: (email) => email })
export const NamesProvider = Context.Provider
export const useNames = (): Names => useContext(Context)

const PEOPLE = ['member', 'account']
const LISTED_MAX = 100

/** Records name whom they are about by email address. Those who did something are in them by name; others are members. */
export function useNamesIn(records: readonly AuditRecord[]): Names {
  const { can } = useCompany()
  const actors = records.flatMap(({ actor }) => (actor.id ? [{ ...actor, id: actor.id }] : []))
  const acted = new Set(actors.map(({ id }) => id))
  const isUnknown = records.some(({ target }) => PEOPLE.includes(target.type) && !acted.has(target.id))
  const { data } = useCompanyQuery(
    ['members', { limit: LISTED_MAX }],
    (scope, options) => scope.members.page({ limit: LISTED_MAX }, options),
    { enabled: isUnknown && can('users:read') },
  )
  // The newest name counts, and records come newest first.
  const people = [...actors.toReversed(), ...(data?.items ?? [])].filter(({ name }) => name)
  const byId = new Map(people.map(({ id, name }) => [id, name]))
  const byEmail = new Map(people.map(({ email, name }) => [email, name]))
  return {
    ofTarget: ({ type, id, label }) => (PEOPLE.includes(type) ? byId.get(id) : undefined) ?? label,
    ofEmail: (email) => byEmail.get(email) ?? email,
  }
}
