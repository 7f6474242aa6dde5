import type { AuditAction } from '../../access/actions.ts'

/** The groups of the documentation, in the order in which one would learn them. */
const descriptions = {
  'Sign up and sign in': 'Create an account, get tokens, and refresh them.',
  Profile: 'Your account, your permissions in each company, and your email address.',
  Passwords: 'Change or reset a password.',
  'Second factor': 'Prove more than a password: authenticator apps, recovery codes, and confirming that it’s you.',
  Sessions: 'See where you’re signed in, and sign out.',
  Companies: 'The companies you belong to, and transfers of ownership.',
  Members: 'Add, update, and remove members, and help them with their passwords.',
  Invitations: 'Ask people in by email, with or without an account, and answer an invitation.',
  Domains: 'Verify domains of a company, and let people with addresses at them join it.',
  Branches: 'The locations of a company, organized as a tree.',
  Roles: 'Roles define what members can do.',
  Permissions: 'The list of permissions that a role can include.',
  Policy: 'What a session needs to be let into a company, and which members lack it.',
  'Audit log': 'Who did what in a company and when, including refused actions.',
  Health: 'For operators of the service.',
} as const

export type Tag = keyof typeof descriptions

/** By the resource of the action; a declaration may name another one. */
const tagOfResource: Record<string, Tag> = {
  accounts: 'Profile',
  passwords: 'Passwords',
  factors: 'Second factor',
  sessions: 'Sessions',
  companies: 'Companies',
  users: 'Members',
  invitations: 'Invitations',
  invitation_links: 'Invitations',
  domains: 'Domains',
  join_requests: 'Domains',
  branches: 'Branches',
  roles: 'Roles',
  permissions: 'Permissions',
  policy: 'Policy',
  audit: 'Audit log',
  ownership: 'Companies',
  health: 'Health',
}

export function tagOf({ docs: { tag }, action }: { docs: { tag?: Tag }; action: AuditAction }): string {
  const [resource = ''] = String(action).split('.')
  return tag ?? tagOfResource[resource] ?? resource
}

/** The tags that are in use; those without a description come last. */
export function describedTags(used: Set<string>): { name: string; description?: string }[] {
  const known = Object.entries(descriptions).map(([name, description]) => ({ name, description }))
  const unknown = [...used].filter((name) => !(name in descriptions)).map((name) => ({ name }))
  return [...known.filter(({ name }) => used.has(name)), ...unknown]
}
