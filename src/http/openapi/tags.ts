import type { AnyDeclaration } from '../route-definition.ts'

/** The groups of the documentation, in the order in which one would learn them. */
const descriptions = {
  'Sign up and sign in': 'From nothing to an access token, and how to keep one.',
  Profile: 'Who I am, what I may do where, and my e-mail address.',
  Passwords: 'Changing a password that is known, and recovering one that is not.',
  Sessions: 'Where I am signed in, and ending that.',
  Companies: 'The companies that I belong to.',
  Members: 'The people of a company: adding, changing, detaching them, and helping with their passwords.',
  Branches: 'The places of a company, as a tree.',
  Roles: 'What members may do is what their roles allow.',
  Permissions: 'The catalogue of what a role can allow.',
  Audit: 'What was done in a company and what was refused, by whom and when.',
  Health: 'For whoever operates the service.',
} as const

export type Tag = keyof typeof descriptions

/** By the resource of the action; a declaration may name another one. */
const tagOfResource: Record<string, Tag> = {
  accounts: 'Profile',
  passwords: 'Passwords',
  sessions: 'Sessions',
  companies: 'Companies',
  users: 'Members',
  branches: 'Branches',
  roles: 'Roles',
  permissions: 'Permissions',
  audit: 'Audit',
  ownership: 'Companies',
  health: 'Health',
}

export function tagOf({ docs: { tag }, action }: AnyDeclaration): string {
  const [resource = ''] = String(action).split('.')
  return tag ?? tagOfResource[resource] ?? resource
}

/** Those that are in use; groups that nobody has described come last. */
export function describedTags(used: Set<string>): { name: string; description?: string }[] {
  const known = Object.entries(descriptions).map(([name, description]) => ({ name, description }))
  const unknown = [...used].filter((name) => !(name in descriptions)).map((name) => ({ name }))
  return [...known.filter(({ name }) => used.has(name)), ...unknown]
}
