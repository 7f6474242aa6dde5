import { useTexts } from '../texts/use-texts.ts'

/** What a permission allows, in the reader’s language. One that this version does not describe is its name. */
export function usePermissionText(): (permission: string) => string {
  const texts: Record<string, string> = useTexts('problems').permissions
  return (permission) => texts[permission] ?? permission
}
