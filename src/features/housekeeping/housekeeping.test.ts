import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { openTestOutbox, type TestOutbox } from '../../../test/support/mail.ts'
import { addCompanies } from '../../../test/support/scale.ts'
import { until } from '../../../test/support/until.ts'
import { readConfig } from '../../config/config.ts'
import { newId } from '../../lib/ids.ts'
import { createLog } from '../../process/log.ts'
import { DELETED_MAX, deleteExpired } from './housekeeping.ts'
import { startHousekeeping } from './worker.ts'

let outbox: TestOutbox
const deleteAll = () => deleteExpired(outbox.database, new AbortController().signal, (error) => assert.fail(error))

before(async () => {
  outbox = await openTestOutbox()
})
after(() => outbox.close())

it('deletes expired rows and keeps the others', async () => {
  const { query } = outbox.db
  const account = newId()
  await query(`insert into accounts (id, email, name) values ('${account}', 'ann@example.com', 'Ann')`)
  const sentEmail = (age: string) =>
    `(gen_random_uuid(), 'password_changed', 'a', 'a', now(), 'sent', now() - interval '${age}')`
  await query(`insert into emails (id, kind, recipient_email, recipient_name, expires_at, status, finished_at)
    values ${sentEmail('31 days')}, ${sentEmail('29 days')}`)
  await query(`insert into emails (id, kind, recipient_email, recipient_name, expires_at, created_at)
    values (gen_random_uuid(), 'password_changed', 'a', 'a', now() - interval '1 year', now() - interval '1 year')`)
  await query(`insert into one_time_links (account_id, purpose, id, email, expires_at) values
    ('${account}', 'reset_password', gen_random_uuid(), 'a', now() - interval '25 hours'),
    ('${account}', 'change_email', gen_random_uuid(), 'a', now() - interval '23 hours')`)
  await query(`insert into email_change_undos (id, account_id, email, credentials_version, is_reserved, expires_at) values
    (gen_random_uuid(), '${account}', 'a', 1, true, now() - interval '25 hours'),
    (gen_random_uuid(), '${account}', 'a', 2, true, now() - interval '23 hours')`)
  await query(`insert into factor_change_undos (id, account_id, email, expires_at) values
    (gen_random_uuid(), '${account}', 'a', now() - interval '7 days 1 second'),
    (gen_random_uuid(), '${account}', 'a', now() - interval '6 days')`)
  const other = newId()
  await query(`insert into accounts (id, email, name) values ('${other}', 'bob@example.com', 'Bob')`)
  await query(`insert into factor_resets (id, account_id, email, operator_name, request_id, due_at) values
    (gen_random_uuid(), '${account}', 'a', '', '', now() - interval '31 days'),
    (gen_random_uuid(), '${other}', 'a', '', '', now() - interval '29 days')`)
  await query(`insert into password_attempts (email, failures, window_started_at, blocked_until) values
    ('old', 1, now() - interval '25 hours', null), ('blocked', 99, now() - interval '25 hours', now() + interval '1 minute'),
    ('over', 99, now() - interval '25 hours', now() - interval '1 minute'), ('new', 1, now(), null)`)
  await query(`insert into challenges (id, purpose, network, expires_at) values
    (gen_random_uuid(), 'sign_in', '192.0.2.1/32', now() - interval '1 second'),
    (gen_random_uuid(), 'passkey_sign_in', '192.0.2.1/32', now() + interval '5 minutes')`)
  await query(
    `insert into second_factor_attempts (account_id, purpose, updated_at) values ('${account}', 'sign_in', now() - interval '25 hours')`,
  )
  await query(`with expired (hours) as (values (25), (23)), opened as (
      insert into sessions (id, account_id, refresh_id, refresh_expires_at, expires_at, user_agent, ip)
      select gen_random_uuid(), '${account}', gen_random_uuid(), now(), now() + interval '1 day', '', '::' from expired
      returning id)
    insert into mailbox_codes (session_id, id, email, purpose, expires_at)
    select id, gen_random_uuid(), 'a', 'factor', now() - make_interval(hours => hours)
    from (select id, row_number() over () as n from opened) numbered
    join (select hours, row_number() over () as n from expired) ages using (n)`)
  await query(`insert into known_networks (account_id, network, last_sign_in_at) values
    ('${account}', '192.0.2.1/32', now() - interval '31 days'), ('${account}', '192.0.2.2/32', now() - interval '29 days')`)
  await query(`insert into link_requests (id, purpose, email_mac, encrypted_email, network, ip, user_agent, request_id, created_at)
    select gen_random_uuid(), 'reset_password', '', '', '192.0.2.1/32', '192.0.2.1', '', '', now() - make_interval(mins => minutes)
    from unnest('{59,61}'::int[]) as minutes`)
  await query(`insert into sent_links (account_id, purpose, network_is_known, created_at) values
    ('${account}', 'reset_password', false, now() - interval '25 hours'),
    ('${account}', 'reset_password', false, now() - interval '23 hours')`)
  const session = (
    expires: string,
    revoked: string,
  ) => `(gen_random_uuid(), '${account}', gen_random_uuid(), now(), '192.0.2.1',
    now() + interval '${expires}', now() - interval '${revoked}', case when '${revoked}' <> '' then 'logout' end)`
  await query(`insert into sessions (id, account_id, refresh_id, refresh_expires_at, ip, expires_at, revoked_at, revoked_reason)
    values ${session('-8 days', '9 days')}, ${session('20 days', '8 days')}, ${session('20 days', '6 days')}`)
  await query(`insert into second_factors (id, account_id, kind, secret, created_at, confirmed_at)
    select gen_random_uuid(), '${account}', 'totp', 'x', now() - make_interval(mins => minutes), confirmed
    from (values (61, null), (59, null), (61, now())) as factors (minutes, confirmed)`)

  await query(`insert into idempotent_requests (id, fingerprint, claimed_until, created_at) values
    ('old', 'x', now(), now() - interval '25 hours'), ('new', 'x', now(), now() - interval '23 hours')`)
  await query(`insert into request_counts (limit_name, network, count, ends_at) values
    ('login', '203.0.113.1', 5, now()), ('login', '203.0.113.2', 1, now() + interval '1 minute')`)
  await query(`insert into slugs (slug, reserved_until) values
    ('free', now() - interval '1 hour'), ('reserved', now() + interval '1 hour'), ('in-use', null)`)
  await query(`insert into nodes (id, host, version, signing_kid, accepted_kids, seen_at) values
    (gen_random_uuid(), 'a', '1.0.0', 'k', '{k}', now() - interval '25 hours'),
    (gen_random_uuid(), 'b', '1.0.0', 'k', '{k}', now() - interval '23 hours')`)

  const company = newId()
  await query(
    `insert into companies (id, name, slug, tax_id, deleted_at) values ('${company}', 'A', 'asks', '1', now())`,
  )
  await query(`insert into domain_checks (company_id, id, created_at) values
    ('${company}', gen_random_uuid(), now() - interval '61 minutes'), ('${company}', gen_random_uuid(), now())`)
  for (const age of ['31 days', '29 days', null]) {
    const asking = newId()
    await query(`insert into accounts (id, email, name) values ('${asking}', '${asking}@example.com', 'Bob')`)
    await query(`insert into join_requests (company_id, id, account_id, email, name, created_at, declined_at) values
      ('${company}', gen_random_uuid(), '${asking}', 'a', 'a', now() - interval '1 year', now() - ${age ? `interval '${age}'` : 'null::interval'})`)
  }
  for (const age of ['169 hours', '167 hours']) {
    const owner = newId()
    await query(`insert into accounts (id, email, name) values ('${owner}', '${owner}@example.com', 'Bob')`)
    await query(`insert into former_owners (company_id, account_id, member_since, ended_at)
      values ('${company}', '${owner}', now() - interval '1 year', now() - interval '${age}')`)
  }
  await query(`insert into invitations (company_id, id, email, link_id, valid_days, status, expires_at, finished_at)
    select '${company}', gen_random_uuid(), status || days, gen_random_uuid(), 7, status, now() - make_interval(days => days),
      case when status = 'revoked' then now() - make_interval(days => days) end
    from unnest('{89,91}'::int[]) as days, unnest('{pending,revoked}'::text[]) as status`)
  await query(`insert into invitation_links (company_id, id, token_hash, max_uses, expires_at)
    select '${company}', gen_random_uuid(), sha256(days::text::bytea), 1, now() - make_interval(days => days)
    from unnest('{89,91}'::int[]) as days`)

  assert.deepEqual(await deleteAll(), {
    idempotent_requests: 1,
    request_counts: 1,
    nodes: 1,
    domain_checks: 1,
    join_requests: 1,
    former_owners: 1,
    slugs: 1,
    emails: 1,
    one_time_links: 1,
    email_change_undos: 1,
    factor_change_undos: 1,
    factor_resets: 1,
    challenges: 1,
    mailbox_codes: 1,
    second_factors: 1,
    second_factor_attempts: 1,
    password_attempts: 2,
    link_requests: 1,
    sent_links: 1,
    known_networks: 1,
    sessions: 2,
    audit_records: 0,
    invitations: 2,
    invitation_links: 1,
  })
  assert.deepEqual(await deleteAll(), {
    idempotent_requests: 0,
    request_counts: 0,
    nodes: 0,
    domain_checks: 0,
    join_requests: 0,
    former_owners: 0,
    slugs: 0,
    emails: 0,
    one_time_links: 0,
    email_change_undos: 0,
    factor_change_undos: 0,
    factor_resets: 0,
    challenges: 0,
    mailbox_codes: 0,
    second_factors: 0,
    second_factor_attempts: 0,
    password_attempts: 0,
    link_requests: 0,
    sent_links: 0,
    known_networks: 0,
    sessions: 0,
    audit_records: 0,
    invitations: 0,
    invitation_links: 0,
  })
})

it('deletes refused attempts that belong to no company after 90 days, and no other audit record', async () => {
  const company = newId()
  await outbox.db.query(
    `insert into companies (id, name, slug, tax_id, deleted_at) values ('${company}', 'A', 'a', '1', now())`,
  )
  const attempt = (outcome: string, age: string, at: string | null = null) =>
    outbox.db.query(
      `insert into audit_records (id, company_id, action, outcome, target_type, target_label, created_at)
       values (gen_random_uuid(), $3, 'sessions.create', $1, 'account', $2, now() - $2::text::interval)`,
      [outcome, age, at],
    )
  for (const age of ['91 days', '90 days', '89 days']) {
    await attempt('credentials_wrong', age)
    await attempt('done', age)
    await attempt('permission_missing', age, company)
  }
  await outbox.db.query(`insert into audit_records (id, action, outcome, target_type, created_at)
    select gen_random_uuid(), 'sessions.create', 'too_many_attempts', 'account', now() - interval '1 year'
    from generate_series(1, 2500)`)

  assert.equal((await deleteAll()).audit_records, 2502)
  const left = await outbox.db.query(
    `select outcome, count(*)::int as count, max(target_label) filter (where outcome = 'credentials_wrong') as age
     from audit_records group by outcome order by outcome`,
  )
  assert.deepEqual(left, [
    { outcome: 'credentials_wrong', count: 1, age: '89 days' },
    { outcome: 'done', count: 3, age: null },
    { outcome: 'permission_missing', count: 3, age: null },
  ])
})

it('deletes more rows than fit into one transaction', async () => {
  await outbox.db.query(`insert into password_attempts (email, failures, window_started_at)
    select 'old' || number, 1, now() - interval '2 days' from generate_series(1, 2500) as number`)

  assert.equal((await deleteAll()).password_attempts, 2500)
})

it('goes on at once with what one round leaves', async () => {
  const { database, db, keys } = outbox
  await db.query(`insert into challenges (id, purpose, network, expires_at)
    select gen_random_uuid(), 'passkey_sign_in', '192.0.2.1/32', now() from generate_series(1, ${DELETED_MAX + 1})`)
  const housekeeping = startHousekeeping({
    config: readConfig({ RATE_LIMIT_ENABLED: 'false' }),
    database,
    keys,
    log: createLog('silent'),
    keyUse: { maySeal: true },
    firstRoundMs: 0,
  })
  try {
    await until(async () => (await db.query('select from challenges where expires_at < now()')).length === 0)
  } finally {
    await housekeeping.stop()
  }
})

it('goes on at once with the companies that one round has not purged', async () => {
  const { database, db, keys } = outbox
  await addCompanies(db, 201)
  await db.query(`update companies set deleted_at = now() - interval '31 days'`)
  const housekeeping = startHousekeeping({
    config: readConfig({ RATE_LIMIT_ENABLED: 'false' }),
    database,
    keys,
    log: createLog('silent'),
    keyUse: { maySeal: true },
    firstRoundMs: 0,
  })
  try {
    await until(async () => (await db.query('select from companies')).length === 0)
  } finally {
    await housekeeping.stop()
  }
})

it('cleans the other tables when one fails', async () => {
  await outbox.db.query(`revoke delete on emails from tenantry_worker`)
  await outbox.db.query(
    `insert into password_attempts (email, failures, window_started_at) values ('old', 1, now() - interval '2 days')`,
  )
  const failures: string[] = []

  const deleted = await deleteExpired(outbox.database, new AbortController().signal, (_, table) => failures.push(table))

  assert.deepEqual(failures, ['emails'])
  assert.equal(deleted.password_attempts, 1)
})
