import { randomUUID } from 'node:crypto'
import type { TestDatabase } from './database.ts'

// Members and sessions of every kind that a policy distinguishes, in the database alone, so that there can be many of them.

/** What a session has proved and when, in minutes ago; null: never. */
export interface SessionFacts {
  provedMinutes: number
  factorMinutes: number | null
  usedMinutes: number
  pauseMinutes: number
  passwordClass: number | null
  address: string
  /** Of its last exchange; null: there was none. */
  lastAddress: string | null
  state: 'live' | 'revoked' | 'expired' | 'with a temporary password'
}

export interface MemberFacts {
  state: 'active' | 'inactive' | 'unopened' | 'disabled'
  hasFactor: boolean
  /** The name of its role. */
  role: string
  domain: string
  /** Of the address. */
  isVerified: boolean
  sessions: SessionFacts[]
}

/** Adds these members to a company; `roles`: the ids by name. */
export async function addMembers(
  db: TestDatabase,
  companyId: string,
  roles: Record<string, string>,
  members: readonly MemberFacts[],
): Promise<void> {
  const people = members.map((member, index) => {
    const id = randomUUID()
    return { ...member, id, role_id: roles[member.role], name: `member ${index}`, email: `${id}@${member.domain}` }
  })
  const sessions = people.flatMap(({ id, sessions }) => sessions.map((session) => ({ ...session, account_id: id })))
  // Sessions before factors: no session opens an account with a factor that it has not proved.
  for (const [text, rows] of [
    [ACCOUNTS, people],
    [MEMBERSHIPS, people],
    [HOLDERS, people],
    [SESSIONS, sessions],
    [FACTORS, people.filter(({ hasFactor }) => hasFactor)],
  ] as const)
    await db.query(text, [companyId, JSON.stringify(rows)])
}

const given = (columns: string) => `from json_to_recordset($2) as given (${columns}) where $1::uuid is not null`

const ACCOUNTS = `insert into accounts (id, email, name, name_folded, disabled_at, email_verified_at)
  select id, email, name, name, case when state = 'disabled' then now() end, case when "isVerified" then now() end
  ${given('id uuid, email text, name text, state text, "isVerified" boolean')}`

const MEMBERSHIPS = `insert into memberships (company_id, account_id, status, opened_at)
  select $1, id, case when state = 'inactive' then 'inactive' else 'active' end, case when state <> 'unopened' then now() end
  ${given('id uuid, state text')}`

const HOLDERS = `insert into membership_roles (company_id, account_id, role_id)
  select $1, id, role_id ${given('id uuid, role_id uuid')}`

const SESSIONS = `insert into sessions (id, account_id, refresh_id, refresh_expires_at, expires_at, ip, last_ip, revoked_at, revoked_reason,
    must_change_password, authenticated_at, second_factor_at, last_used_at, longest_pause, password_class)
  select gen_random_uuid(), account_id, gen_random_uuid(),
    now() + case when state = 'expired' then '-1 day' else '1 day' end::interval, now() + interval '2 days',
    address::inet, "lastAddress"::inet, case when state = 'revoked' then now() end, case when state = 'revoked' then 'logout' end, state = 'with a temporary password',
    now() - make_interval(mins => "provedMinutes"), now() - make_interval(mins => "factorMinutes"),
    -- No two at once, so that each member has one that was used last.
    now() - make_interval(mins => "usedMinutes", secs => row_number() over () / 1e4), make_interval(mins => "pauseMinutes"), "passwordClass"
  ${given(`account_id uuid, state text, address text, "lastAddress" text, "provedMinutes" int, "factorMinutes" int,
    "usedMinutes" int, "pauseMinutes" int, "passwordClass" smallint`)}`

const FACTORS = `insert into second_factors (id, account_id, kind, secret, confirmed_at)
  select gen_random_uuid(), id, 'totp', 'x', now() ${given('id uuid')}`
