import type { Domain, Versioned } from '@tenantry/client'
import { useState } from 'react'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { type Difference, isConflict } from '../../ui/DiffDialog.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { DEFAULT_ROLE, OWNER_ROLE, useRoles } from '../members/queries.ts'

type Current = Versioned<Domain>
interface Values {
  joinPolicy: Domain['joinPolicy']
  joinRoleIds: string[]
}

/** How people join, as a form, and the dialog for when another owner, or who edits roles, was faster. */
export function useJoining(domain: Current, onClose: () => void) {
  const { joining: t } = useTexts('domains')
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  // What the person began to edit: a version that is read later must not pass for it.
  const [base] = useState(domain)
  const [newest, setNewest] = useState<Current>()
  const differencesOf = useDifferences(base)

  const save = async (values: Values, over: Current): Promise<void> => {
    const changes = changesOf(values, base, over)
    if (Object.keys(changes).length === 0) return onClose()
    try {
      await scope.domains.update(over, changes)
    } catch (error) {
      setNewest(undefined)
      if (!isConflict(error)) throw error
      const latest = await scope.domains.get(base.id)
      // Such as one whose record was checked.
      if (joiningIn(latest) === joiningIn(over)) return save(values, latest)
      return setNewest(latest)
    }
    onClose()
    toast(t.saved({ name: base.name }))
    await refresh()
  }
  const form = useForm<Values>({
    initial: { joinPolicy: base.joinPolicy, joinRoleIds: idsOf(base, true) },
    submit: (values) => save(values, newest ?? base),
  })
  return {
    form,
    isChanged: Object.keys(changesOf(form.values, base, base)).length > 0,
    outgrown: idsOf(base, false),
    differences: newest && differencesOf(newest, changesOf(form.values, base, newest)),
    keepTheirs: () => {
      onClose()
      void refresh()
    },
  }
}

const idsOf = ({ joinRoles }: Domain, isGiven: boolean) =>
  joinRoles.filter(({ given }) => given === isGiven).map(({ id }) => id)

const joiningIn = ({ joinPolicy, joinRoles }: Domain) => JSON.stringify([joinPolicy, joinRoles])

/**
 * Only what the person changed: sending the roles approves what they give now. Saving nothing else takes out those that are not
 * given any more and that the person has not chosen again.
 */
function changesOf({ joinPolicy, joinRoleIds }: Values, base: Domain, over: Domain): Partial<Values> {
  const given = idsOf(base, true)
  // Ticked from the beginning, before it was given more.
  const outgrownSince = idsOf(over, false).filter((id) => given.includes(id))
  const isOther = joinPolicy !== base.joinPolicy
  const isDropping = !isOther && idsOf(base, false).length > 0
  const hasOtherRoles =
    isDropping || joinRoleIds.length !== given.length || !joinRoleIds.every((id) => given.includes(id))
  return {
    ...(isOther && { joinPolicy }),
    ...(joinPolicy !== 'none' &&
      hasOtherRoles && { joinRoleIds: joinRoleIds.filter((id) => !outgrownSince.includes(id)) }),
  }
}

/** The roles that people who join may get: no one becomes an owner by joining. Also those that a long list has not. */
export function useJoinRoles({ joinRoles }: Domain) {
  const roleLabel = useRoleLabel()
  const { data, error, refetch } = useRoles(true)
  const listed = data?.items.filter(({ isSystem, name }) => !isSystem || name !== OWNER_ROLE) ?? []
  const others = joinRoles.filter(({ id }) => !listed.some((role) => role.id === id))
  const roles = [...listed, ...others].map((role) => ({ id: role.id, label: roleLabel(role) }))
  return { roles: data && roles, error, refetch }
}

/** All that would be saved, because how people join and what they get are one decision. */
function useDifferences(base: Domain) {
  const { joining: t } = useTexts('domains')
  const { list } = useFormat()
  const roleLabel = useRoleLabel()
  const { roles = [] } = useJoinRoles(base)
  const named = (labels: string[]) => list(labels) || roleLabel({ name: DEFAULT_ROLE })
  return (latest: Domain, { joinPolicy = latest.joinPolicy, joinRoleIds }: Partial<Values>): Difference[] => {
    const theirs = named(
      latest.joinRoles.map(({ name, given }) => {
        const role = roleLabel({ name })
        return given ? role : t.notGiven({ role })
      }),
    )
    const chosen = joinRoleIds && named(roles.filter(({ id }) => joinRoleIds.includes(id)).map(({ label }) => label))
    return [
      { label: t.title, theirs: t[latest.joinPolicy], yours: t[joinPolicy] },
      { label: t.roles, theirs, yours: chosen ?? theirs },
    ]
  }
}
