import type { Role } from '@tenantry/client'
import { useTexts } from '../texts/use-texts.ts'

/** What a built-in role is for, in the language of the reader: the service describes it in English. */
export function useBuiltInText(): (role: Role) => string | undefined {
  const { owner, admin, manager, member } = useTexts('roles').builtInTexts
  const texts: Record<string, string> = { Owner: owner, Admin: admin, Manager: manager, Member: member }
  return ({ name, isSystem }) => (isSystem ? texts[name] : undefined)
}
