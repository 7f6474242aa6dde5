import type { components, PermissionName } from '@tenantry/client'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useLanguage } from '../../texts/language.ts'

export type CatalogueEntry = components['schemas']['Permission']

export interface PermissionGroup {
  name: string
  entries: CatalogueEntry[]
}

/** Every permission, in groups, in the language of the reader. */
export function useCatalogue(names: readonly string[]) {
  const { scope, can } = useCompany()
  const isReadable = can('permissions:read')
  const language = useLanguage()
  const query = useCompanyQuery(['catalogue', language], (_, options) => scope.listPermissions(options), {
    enabled: isReadable,
  })
  const entries = isReadable ? query.data : names.map(entryOf)
  return { ...query, isPending: isReadable && query.isPending, groups: entries && groupsOf(entries) }
}

/** For those who may not read the catalogue: permissions by their names. */
function entryOf(name: string): CatalogueEntry {
  const [resource = name, action = ''] = name.split(':')
  return { name, resource, action, description: name, group: resource }
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
