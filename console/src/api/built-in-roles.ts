import type { Role } from '@tenantry/client'
import { useTexts } from '../texts/use-texts.ts'

interface Named {
  name: string
  isSystem?: boolean
}

/**
 * What a role is called, in the language of the reader: the service names the built-in ones in English. No other role of a
 * company has the name of one of them, so that a name alone tells which it is.
 */
export function useRoleLabel(): (role: Named) => string {
  const { owner, admin, manager, member } = useTexts('common').builtInRoles
  const labels: Record<string, string> = { Owner: owner, Admin: admin, Manager: manager, Member: member }
  return ({ name, isSystem = true }) => (isSystem && labels[name]) || name
}

/** What a built-in role is for, in the language of the reader: the service describes it in English. */
export function useBuiltInText(): (role: Role) => string | undefined {
  const { owner, admin, manager, member } = useTexts('roles').builtInTexts
  const texts: Record<string, string> = { Owner: owner, Admin: admin, Manager: manager, Member: member }
  return ({ name, isSystem }) => (isSystem ? texts[name] : undefined)
}
