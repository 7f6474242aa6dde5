import type { Areas } from '../../texts/areas.ts'
import type { Texts } from '../../texts/types.ts'

export type AuditTexts = Texts<Areas['audit']>

/** The texts name what the service does. A newer one may name more: that is shown as it is. */
export const known = (texts: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(texts, key) ? texts[key] : undefined

/** What can be in the log of a company, such as `users.add`. What only reads is recorded when it is refused. */
export const actionsIn = ({ tasks }: { tasks: object }): string[] =>
  Object.entries(tasks).flatMap(([resource, verbs]) => Object.keys(verbs).map((verb) => `${resource}.${verb}`))

type Sayable = (values: Record<string, string>) => string

/** What people do with it: “add a member”. */
export function taskOf(t: AuditTexts, action: string): string | undefined {
  const [resource = '', verb = ''] = action.split('.')
  return (t.tasks as Record<string, Record<string, string>>)[resource]?.[verb]
}

/** The sentence for when it was done. */
export function doneOf(t: AuditTexts, action: string): Sayable | undefined {
  const [resource = '', verb = ''] = action.split('.')
  return (t.done as Record<string, Record<string, Sayable>>)[resource]?.[verb]
}

export const capitalized = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1)
