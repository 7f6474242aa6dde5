import { type Permission, permissions, type Resource } from '../../access/permissions.ts'
import { DEFAULT_LANGUAGE, type LanguageTag } from '../../lib/languages.ts'
import { en } from './texts/en.ts'
import { es } from './texts/es.ts'
import { pt } from './texts/pt.ts'
import type { Texts } from './texts/texts.ts'

const texts: Record<LanguageTag, Texts> = { en, es, pt }

export interface CataloguedPermission {
  name: Permission
  resource: Resource
  action: string
  description: string
  group: string
}

/** Every permission, described in one language. */
export function catalogueIn(language: LanguageTag = DEFAULT_LANGUAGE): CataloguedPermission[] {
  const { permissions: descriptions, groups } = texts[language]
  return permissions.map((name) => {
    const [resource, action] = name.split(':') as [Resource, string]
    return { name, resource, action, description: descriptions[name], group: groups[resource] }
  })
}
