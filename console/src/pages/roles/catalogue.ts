import type { components, PermissionName } from '@tenantry/client'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import type { Areas } from '../../texts/areas.ts'
import { useLanguage } from '../../texts/language.ts'
import { useTexts } from '../../texts/use-texts.ts'

export type CatalogueEntry = components['schemas']['Permission']

type CatalogueTexts = Pick<Areas['problems'], 'permissions' | 'permissionGroups'>

export interface PermissionGroup {
  name: string
  entries: CatalogueEntry[]
}

export const useRole = (roleId: string) =>
  useCompanyQuery(['role', roleId], (scope, options) => scope.roles.get(roleId, options), { enabled: roleId !== '' })

/** Every permission, in groups, in the language of the reader. */
export function useCatalogue(names: readonly string[]) {
  const { scope, can } = useCompany()
  const isReadable = can('permissions:read')
  const language = useLanguage()
  const query = useCompanyQuery(['catalogue', language], (_, options) => scope.listPermissions(options), {
    enabled: isReadable,
  })
  const texts = useTexts('problems')
  const entries = isReadable ? query.data : names.map((name) => entryOf(name, texts))
  return { ...query, isPending: isReadable && query.isPending, groups: entries && groupsOf(entries) }
}

/** For those who may not read the catalogue: only the permissions that are there. */
function entryOf(name: string, texts: CatalogueTexts): CatalogueEntry {
  const [resource = name, action = ''] = name.split(':')
  const { permissions, permissionGroups: groups } = texts as Record<keyof CatalogueTexts, Record<string, string>>
  return { name, resource, action, description: permissions[name] ?? name, group: groups[resource] ?? resource }
}

/** Several resources may share a group. */
function groupsOf(entries: readonly CatalogueEntry[]): PermissionGroup[] {
  const groups = Map.groupBy(entries, ({ group }) => group)
  return [...groups].map(([name, entries]) => ({ name, entries }))
}

/** What a permission allows, by its name. One that this version of the service does not describe is its name. */
export const labelsOf = (groups: readonly PermissionGroup[]): Map<string, string> =>
  new Map(groups.flatMap(({ entries }) => entries.map(({ name, description }) => [name, description] as const)))

/** Permissions of a role that the caller lacks: nobody gives, or changes, more than they have. */
export function useLacking(): (permissions: readonly string[]) => string[] {
  const { can } = useCompany()
  return (permissions) => permissions.filter((name) => !can(name as PermissionName))
}
