import type { components, PermissionName, Role } from '@tenantry/client'
import type { useTexts } from '../../texts/use-texts.ts'
import type { Difference } from '../../ui/DiffDialog.tsx'

export type RoleChanges = components['schemas']['RoleUpdate']

/** What people edit of a role. */
export interface RoleValues {
  name: string
  description: string
  permissions: string[]
}

export const valuesOf = ({ name, description, permissions }: Role): RoleValues => ({
  name,
  description,
  permissions: [...permissions],
})

/** Only what differs, so that nothing else of a newer version is undone. */
export function changesOf(before: RoleValues, after: RoleValues): RoleChanges {
  return {
    ...(after.name.trim() !== before.name && { name: after.name.trim() }),
    ...(after.description.trim() !== before.description && { description: after.description.trim() }),
    ...(!isSame(before.permissions, after.permissions) && { permissions: after.permissions as PermissionName[] }),
  }
}

export const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((each) => others.includes(each))

/** Both versions side by side: only what differs, and of the permissions only those that one of the two has. */
export function differencesBetween(
  theirs: RoleValues,
  yours: RoleValues,
  t: ReturnType<typeof useTexts<'roles'>>['fields'],
  labels: ReadonlyMap<string, string>,
): Difference[] {
  const only = (some: readonly string[], others: readonly string[]) =>
    some.flatMap((name) => (others.includes(name) ? [] : [labels.get(name) ?? name])).join('\n')
  const permissions = {
    label: t.permissions,
    theirs: only(theirs.permissions, yours.permissions),
    yours: only(yours.permissions, theirs.permissions),
  }
  return [
    { label: t.name, theirs: theirs.name, yours: yours.name },
    { label: t.description, theirs: theirs.description, yours: yours.description },
    permissions,
  ].filter((each) => each.theirs !== each.yours)
}
