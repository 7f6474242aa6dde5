import type { TestDatabase } from '../test/support/database.ts'
import {
  MODEL_POLICY_COLUMNS,
  MODEL_SESSION_COLUMNS,
  type ModelPolicy,
  type ModelSession,
} from '../test/support/policy-model.ts'

/** A row with an id; it belongs to a company, to an account or to neither. */
export interface Row {
  id: string
  companyId: string | null
  accountId: string | null
}

export interface Membership {
  companyId: string
  accountId: string
  active: boolean
  owner: boolean
  /** Active, not awaiting verification, in a company that is neither deleted nor suspended. */
  open: boolean
  /** The same, but in a suspended company: the company is shown, and nothing in it. */
  suspended: boolean
  /** The account has made a request in the company at least once. */
  opened: boolean
  permissions: Set<string>
  /** The keys of system roles and the ids of others. */
  roles: string[]
}

export interface Session extends ModelSession {
  id: string
  accountId: string
  /** It was not revoked, has not expired, and its account is not disabled. */
  live: boolean
}

export interface Policy extends ModelPolicy {
  companyId: string
  /** How old a proof may be at a change; null: as old as you like. */
  stepUpMs: number | null
}

/** What a person may accept: by the address, or by the token of a link where there is none. */
export interface Invitation {
  companyId: string
  email: string | null
  permissions: string[]
}

export interface Offer {
  companyId: string
  from: string
  to: string
}

/** The contents of the database, read directly. */
export interface DatabaseState {
  /** By company and account. */
  memberships: Map<string, Membership>
  /** By id: whether the company is deleted. */
  companies: Map<string, boolean>
  /** By company: its ownership offer. */
  offers: Map<string, Offer>
  emails: Map<string, string>
  /** Addresses that companies have invited. */
  invited: { companyId: string; email: string }[]
  /** Pending invitations, and links that can be used. */
  invitations: Invitation[]
  sessions: Map<string, Session>
  /** By company: its policy, where it has one. */
  policies: Map<string, Policy>
  /** When it was read, by the database's clock. */
  now: number
  /** By table: all rows that have an id, the oldest first. */
  rows: Map<string, Row[]>
}

const ROWS_MAX = 150

/** Prepares the statement that reads all data which checks and placeholders need. */
export async function openStateReader(db: TestDatabase): Promise<() => Promise<DatabaseState>> {
  const rowsOfAll = await statementForRows(db)
  // One statement, so that it sees one snapshot.
  const statement = `select (extract(epoch from now()) * 1000)::float8 as now,
    ${listOf(MEMBERSHIPS)} as memberships, ${listOf(rowsOfAll)} as rows,
    ${listOf(SESSIONS)} as sessions, ${listOf(POLICIES)} as policies, ${listOf(INVITATIONS)} as invitations,
    ${listOf('select id, email from accounts order by id')} as accounts,
    ${listOf('select id, deleted_at is not null as deleted from companies order by id')} as companies,
    ${listOf('select company_id as "companyId", email from invitations')} as invited,
    ${listOf('select company_id as "companyId", from_id as "from", to_id as "to" from ownership_offers')} as offers`
  return async () => {
    const [found] = (await db.query(statement)) as [Found]
    const { memberships, rows, accounts, companies, offers, invited, sessions, policies, invitations, now } = found
    return {
      now,
      invitations,
      sessions: new Map(sessions.map((session) => [session.id, session])),
      policies: new Map(policies.map((policy) => [policy.companyId, policy])),
      memberships: new Map(
        memberships.map(({ permissions, ...membership }) => [
          `${membership.companyId} ${membership.accountId}`,
          { ...membership, permissions: new Set(permissions) },
        ]),
      ),
      companies: new Map(companies.map(({ id, deleted }) => [id, deleted])),
      offers: new Map(offers.map((offer) => [offer.companyId, offer])),
      invited,
      emails: new Map(accounts.map(({ id, email }) => [id, email])),
      rows: Map.groupBy(rows, ({ table }) => table),
    }
  }
}

interface Found {
  memberships: (Omit<Membership, 'permissions'> & { permissions: string[] })[]
  rows: (Row & { table: string })[]
  accounts: { id: string; email: string }[]
  companies: { id: string; deleted: boolean }[]
  offers: Offer[]
  invited: { companyId: string; email: string }[]
  sessions: Session[]
  policies: Policy[]
  invitations: Invitation[]
  now: number
}

const listOf = (query: string) => `(select coalesce(json_agg(to_json(found)), '[]') from (${query}) found)`

const MEMBERSHIPS = `
  select m.company_id as "companyId", m.account_id as "accountId", m.status = 'active' as active,
    m.status = 'active' and not m.awaits_verification and c.deleted_at is null and c.suspended_at is null as open,
    m.status = 'active' and not m.awaits_verification and c.deleted_at is null and c.suspended_at is not null as suspended,
    m.opened_at is not null as opened, coalesce(bool_or(roles.system_key = 'owner'), false) as owner,
    coalesce(array_agg(distinct p.permission) filter (where p.permission is not null), '{}') as permissions,
    coalesce(array_agg(distinct coalesce(roles.system_key, coalesce(roles.replaced_by, roles.id)::text))
      filter (where roles.id is not null), '{}') as roles
  from memberships m join companies c on c.id = m.company_id
  left join membership_roles r on r.company_id = m.company_id and r.account_id = m.account_id
  left join roles on roles.id = r.role_id
  left join lateral unnest(roles.permissions) as p (permission) on true
  group by m.company_id, m.account_id, c.deleted_at, c.suspended_at order by m.company_id, m.account_id`

const SESSIONS = `
  select sessions.id, account_id as "accountId",
    revoked_at is null and expires_at > now() and disabled_at is null as live, ${MODEL_SESSION_COLUMNS}
  from sessions join accounts on accounts.id = account_id`

const POLICIES = `
  select id as "companyId", (extract(epoch from policy_step_up) * 1000)::float8 as "stepUpMs", ${MODEL_POLICY_COLUMNS}
  from companies where has_policy or policy_step_up is not null`

const GIVEN = (table: string, column: string, owner: string) => `
  (select coalesce(array_agg(distinct permission), '{}') from ${table} given join roles on roles.id = given.role_id,
    unnest(roles.permissions) as permission where given.${column} = ${owner}.id) as permissions`

const INVITATIONS = `
  select company_id as "companyId", email, ${GIVEN('invitation_roles', 'invitation_id', 'invitations')}
  from invitations where status = 'pending' and expires_at > now()
  union all
  select company_id, null, ${GIVEN('invitation_link_roles', 'link_id', 'invitation_links')}
  from invitation_links where revoked_at is null and expires_at > now() and uses < max_uses`

async function statementForRows(db: TestDatabase): Promise<string> {
  const columns = await db.query<{ table_name: string; names: string[] }>(`
    select table_name, array_agg(column_name::text) as names from information_schema.columns
    where table_schema = 'public' and table_name in (select tablename from pg_tables where schemaname = 'public')
    group by table_name having bool_or(column_name = 'id' and data_type = 'uuid') order by table_name`)
  const parts = columns.map(({ table_name, names }) => {
    const column = (name: string) => (names.includes(name) ? `${name}::text` : 'null::text')
    return `(select '${table_name}' as "table", id::text, ${column('company_id')} as "companyId",
      ${column('account_id')} as "accountId" from ${table_name} order by id limit ${ROWS_MAX})`
  })
  return `select * from (${parts.join(' union all ')}) every_row order by "table", id`
}
