/** What a user's row has beside the user: a row for each role in each company. */
export interface ContextRow extends Record<string, unknown> {
  companies: [id: string, name: string, slug: string, status: string, role: string, permissions: string[]][] | null
}

const USER_FIELDS = [
  ...[
    'id',
    'email',
    'name',
    'phone',
    'avatar_url',
    'position',
    'document_type',
    'document_number',
    'timezone',
    'locale',
  ],
  ...['email_verified', 'must_change_password', 'second_factor', 'created_at'],
]

/** The body of `me`, without its tokens. */
export function contextFrom(row: ContextRow) {
  const user = Object.fromEntries(USER_FIELDS.map((name) => [name, row[name]]))
  const tenants: object[] = []
  const companyPermissions: Record<string, string[]> = {}
  const companyRoles: Record<string, string[]> = {}
  const companyAccess: Record<string, string> = {}
  for (const [id, name, slug, status, role, permissions] of row.companies ?? []) {
    const known = companyPermissions[id]
    if (known) companyPermissions[id] = [...new Set([...known, ...permissions])].sort()
    else {
      tenants.push({ id, name, slug, status })
      companyPermissions[id] = permissions.sort()
      companyAccess[id] = status === 'suspended' ? 'company_suspended' : 'open'
    }
    companyRoles[id] = [...(companyRoles[id] ?? []), role]
  }
  // The measured accounts have opened all of theirs.
  return { user, tenants, companyPermissions, companyRoles, companyAccess, unopenedCompanies: [] }
}

/** A record of the audit log, from its row. */
export const recordFrom = (row: Record<string, unknown>) => ({
  id: row.id as string,
  action: row.action,
  actor: {
    id: row.actor_id,
    kind: row.actor_kind,
    name: row.by_name,
    email: row.by_email,
    ...erased(row.is_actor_erased),
  },
  via: row.via_type ? { type: row.via_type, id: row.via_id } : null,
  target: { type: row.target_type, id: row.target_id, label: row.target_label, ...erased(row.is_target_erased) },
  changes: inOrder(row.changes as Changes),
  outcome: row.outcome,
  ip: row.ip,
  user_agent: row.user_agent,
  request_id: row.request_id,
  created_at: row.time as string,
})

const erased = (isErased: unknown) => (isErased ? { erased: true } : {})

type Changes = Record<string, { from?: unknown; to?: unknown }>

/** PostgreSQL stores the shorter key first. */
const inOrder = (changes: Changes) =>
  Object.fromEntries(Object.entries(changes).map(([field, { from, to }]) => [field, { from, to }]))
