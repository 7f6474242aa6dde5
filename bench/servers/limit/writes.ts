import { accessTo, contextOf, memberColumns, rolesHeld } from './reads.ts'

// Writes, each in one transaction that is sent at once. In a company the first statement takes the company's lock, so
// that the second one sees what the writers before it have left.

const auditColumns = `id, company_id, action, outcome, actor_id, actor_name, actor_email, target_type, target_id,
  target_label, changes, ip, user_agent, request_id, v, actor_kind, via_type, via_id`

/** $1 is the company. */
export const lockCompany = {
  name: 'lock company',
  text: 'select id from companies where id = $1 and deleted_at is null for no key update',
}

/** A refusal of a permission is recorded, as by the service. $1 is the id, $2 the company, then the actor; $9 the session. */
export const recordRefusal = {
  name: 'record refusal',
  text: `insert into audit_records (${auditColumns})
    values ($1, $2::uuid, 'audit.list', 'permission_missing', $3, $4, $5, 'company', $2::uuid::text, '', '{}', $6, $7, $8,
      2, 'person', 'session', $9::uuid)`,
}

/** $4 is the member, $5 the new phone number, $6 the record's id, $7 to $9 address, agent and id of the request. */
export const updateMember = {
  name: 'update member',
  text: `
    with access as materialized (${accessTo('users:update')}),
    before as materialized (
      select phone from memberships where company_id = $3 and account_id = $4
        and (select is_allowed from access)),
    updated as (
      update memberships set phone = $5, updated_at = clock_timestamp()
      from before where company_id = $3 and account_id = $4 returning memberships.*),
    recorded as (
      insert into audit_records (${auditColumns})
      select $6::uuid, $3::uuid, 'users.update', 'done', $1::uuid, actor_name, actor_email, 'member', $4::uuid::text, updated.email,
        json_build_object('phone', json_build_object('from', before.phone, 'to', $5::text)), $7::inet, $8, $9, 2, 'person', 'session', $2::uuid
      from access, updated, before)
    select access.*, row_to_json(shown)::text as member, shown_at
    from access left join lateral (
      select ${memberColumns} from updated as m ${rolesHeld}) as shown on true
    left join lateral (select updated_at::text as shown_at from updated) as version on true`,
}

/** $4 is the account's id, $5 to $7 name, folded name and address, $8 the hash, $9 a secret id, $10 the record's id. */
export const addMember = {
  name: 'add member',
  text: `
    with access as materialized (${accessTo('users:create')}),
    account as (
      insert into accounts (id, name, name_folded, email, managed_by, must_change_password)
      select $4::uuid, $5, $6, $7, $3::uuid, true from access where is_allowed returning id, email),
    password as (
      insert into passwords (account_id, kind, hash, expires_at, emailed, secret_id)
      select id, 'temporary', $8, now() + interval '72 hours', true, $9::uuid from account),
    email as (
      insert into emails (id, kind, recipient_email, recipient_name, secret_id, sender_company_id, sender_account_id, expires_at)
      select $9::uuid, 'temporary_password', email, $5, $9::uuid, $3::uuid, $1::uuid, now() + interval '72 hours' from account),
    membership as (
      insert into memberships (company_id, account_id, added_by) select $3::uuid, id, $1::uuid from account returning account_id),
    held as (
      insert into membership_roles (company_id, account_id, role_id)
      select $3::uuid, account_id, roles.id from membership, roles
      where roles.company_id = $3 and roles.system_key = 'member'),
    counted as (update company_counters set active_members = active_members + 1 where company_id = $3),
    recorded as (
      insert into audit_records (${auditColumns})
      select $10::uuid, $3::uuid, 'users.add', 'done', $1::uuid, actor_name, actor_email, 'member', $4::uuid::text, $7, '{}', $11::inet, $12, $13,
        2, 'person', 'session', $2::uuid
      from access, account)
    select access.* from access`,
}

/** $1 is the session, $2 the account, $3 the refresh token's id, $4 the next one's. */
export const rotate = {
  name: 'rotate',
  text: `
    update sessions set refresh_id = $4, previous_refresh_id = $3, rotated_at = clock_timestamp(), last_used_at = now(),
      refresh_expires_at = least(now() + interval '7 days', expires_at),
      credentials_version = (select credentials_version from accounts where id = $2)
    where id = $1 and account_id = $2 and refresh_id = $3 and revoked_at is null
      and least(refresh_expires_at, expires_at) > now()
    returning id, account_id, refresh_id, rotated_at, refresh_expires_at`,
}

export const passwordOf = {
  name: 'password of',
  text: `
    select accounts.id, passwords.hash from accounts join passwords on passwords.account_id = accounts.id
    where accounts.email = $1 and passwords.kind = 'chosen'`,
}

/** $1 is the account, $2 the session, $3 the refresh token's id, $4 the record's id, $5 to $7 address, agent, request. */
export const createSession = {
  name: 'create session',
  text: `
    with session as (
      insert into sessions (id, account_id, refresh_id, refresh_expires_at, expires_at, credentials_version, ip, user_agent)
      values ($2::uuid, $1::uuid, $3::uuid, now() + interval '7 days', now() + interval '30 days',
        (select credentials_version from accounts where id = $1), $5::inet, $6)
      returning id, account_id, refresh_id, rotated_at, refresh_expires_at, must_change_password),
    network as (
      insert into known_networks (account_id, network) values ($1::uuid, set_masklen($5::inet, 32)::cidr) on conflict do nothing),
    recorded as (
      insert into audit_records (${auditColumns})
      select $4::uuid, null::uuid, 'sessions.create', 'done', $1::uuid, name, email, 'session', $2::uuid::text, '', '{}', $5::inet, $6, $7,
        2, 'person', null, null::uuid
      from accounts where id = $1)
    select session.id as session_id, account_id, refresh_id, rotated_at, refresh_expires_at, context.*
    from session, lateral (${contextOf('session')}) as context`,
}

/** $1 is the account, $2 the session, $3 the sessions to end, $4 the record's id, $5 to $7 address, agent, request. */
export const endSessions = {
  name: 'end sessions',
  text: `
    with ended as (
      update sessions set revoked_at = now(), revoked_reason = 'signed_out'
      where account_id = $1 and id = any($3::uuid[]) and revoked_at is null and expires_at > now() returning id)
    insert into audit_records (${auditColumns})
    select $4::uuid, null::uuid, 'sessions.sign_out', 'done', $1::uuid, name, email, 'session', $2::uuid::text, '', '{}', $5::inet, $6, $7,
      2, 'person', 'session', $2::uuid
    from accounts where id = $1 and exists (select from ended) returning id`,
}
