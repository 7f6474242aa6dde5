import { sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import type { AttemptResult } from '../delivery/attempt-results.ts'
import type { OutboxEmail } from '../templates/render-message.ts'
import { type EmailKind, type EmailParams, NOTICES_WITH_LINK } from './emails.ts'

/** An email that one worker has claimed until its lease ends. */
export interface ClaimedEmail extends OutboxEmail {
  /** How often it was claimed, this time included. */
  attempts: number
  /** The end of the lease, to the microsecond: unchanged while no other worker has claimed the email. */
  lease: string
  lastError: string | null
  isExpired: boolean
  /** It carries a link or a password that was used, replaced or has expired. */
  isSecretExpired: boolean
}

/** Longer than any delivery may take; the emails of a worker that died are free again after it. */
const LEASE_SECONDS = 45

/** What the deliveries that are under way leave to the next ones. */
export interface Capacity {
  /** How many emails may be claimed. */
  emailsMax: number
  /** How many deliveries to one domain may be under way. */
  perDomain: number
  /** The domain of each delivery that is under way. */
  underWay: string[]
  /** Of many domains, those after this one have their turn. */
  afterDomain: string
}

export interface Claim {
  emails: ClaimedEmail[]
  /** Where the next turn of the domains begins. */
  lastDomain: string
}

/** So many emails that are due are looked at; when there are more, the domains of all take turns. */
const LOOKED_AT_MAX = 100
const DOMAINS_MAX = 50

const IS_DUE = sql`status = 'pending' and next_attempt_at <= now() and (claimed_until is null or claimed_until <= now())`

/**
 * Of a row of `emails`: the link, code or password that it carries was used or replaced, has expired, or belongs to what was cancelled.
 * Notices go out also where their link works no more: their readers have to know, for a day. Later they would tell of what is long over.
 */
export const HAS_DEAD_SECRET = sql`(
  secret_id is not null and (created_at < now() - interval '1 day' or kind not in (${sql.join(NOTICES_WITH_LINK.map((kind) => sql.lit(kind)))}))
    and not exists (select from one_time_links where one_time_links.id = emails.secret_id and one_time_links.expires_at > now())
    and not exists (select from email_change_undos where email_change_undos.id = emails.secret_id and email_change_undos.expires_at > now())
    and not exists (select from passwords where passwords.secret_id = emails.secret_id and passwords.expires_at > now())
  or kind = 'invitation' and not is_invitation_pending((params ->> 'linkId')::uuid)
  or kind = 'mailbox_code'
    and not exists (select from mailbox_codes code where code.id = (params ->> 'codeId')::uuid and code.expires_at > now())
  or kind = 'factor_reset_announced'
    and not exists (select from factor_resets reset where reset.id = (params ->> 'linkId')::uuid))`

/**
 * Claims emails that are due, in turns by the domain of their recipients, so that a domain whose server hangs delays no
 * other. Workers that do this at once never claim the same email: each skips the rows that another has locked. The rows are
 * picked in an array, so that they are picked exactly once. See docs/decisions/0005-outbox.md.
 */
export async function claimDueEmails(database: Database, capacity: Capacity): Promise<Claim> {
  const { rows } = await sql<ClaimedRow>`
    with recursive ${turns(capacity)}, claimed as (
      update emails set claimed_until = now() + make_interval(secs => ${LEASE_SECONDS}), attempts = attempts + 1
      where id = any(array(
        select id from emails where ${IS_DUE} and id = any(array(
          select id from turns where turn <= ${capacity.perDomain} order by turn, next_attempt_at limit ${capacity.emailsMax}
        ))
        for update skip locked
      ))
      returning id, kind, recipient_email, recipient_name, locale, params, secret_id, attempts, claimed_until::text as lease,
        last_error, expires_at <= now() as is_expired,
        ${HAS_DEAD_SECRET} as is_secret_expired,
        (select expires_at from passwords where passwords.secret_id = emails.secret_id) as password_ends_at
    )
    select claimed.*, looked_at.last_domain
    from (select max(name) as last_domain from domains) looked_at left join claimed on true`.execute(
    database.autocommit(asWorker),
  )
  const emails = rows.filter(({ id }) => id !== null).map(toClaimedEmail)
  return { emails, lastDomain: rows[0]?.last_domain ?? '' }
}

/**
 * `turns`: emails that are due, each with its place among those of its domain. They are the ones that have waited longest,
 * and when there are many, also some of the next domains, each found by one look into an index.
 */
const turns = ({ perDomain, underWay, afterDomain }: Capacity) => sql`
  longest as (
    select id, recipient_domain, next_attempt_at from emails where ${IS_DUE} order by next_attempt_at limit ${LOOKED_AT_MAX}
  ), domains (name, number) as (
    select (select min(recipient_domain) from emails where status = 'pending' and recipient_domain > ${afterDomain}::text), 1
    where (select count(*) from longest) = ${LOOKED_AT_MAX}
    union all
    select (select min(recipient_domain) from emails where status = 'pending' and recipient_domain > name), number + 1
    from domains where name is not null and number < ${DOMAINS_MAX}
  ), others as (
    select found.* from domains cross join lateral (
      select id, recipient_domain, next_attempt_at from emails
      where ${IS_DUE} and recipient_domain = name order by next_attempt_at limit ${perDomain}
    ) found
  ), turns as (
    select id, next_attempt_at,
      row_number() over (partition by recipient_domain order by next_attempt_at, id)
        + (select count(*) from unnest(${underWay}::text[]) as busy where busy = recipient_domain) as turn
    from (select * from longest union select * from others) due
  )`

interface ClaimedRow {
  id: string
  last_domain: string | null
  kind: EmailKind
  recipient_email: string
  recipient_name: string
  locale: string
  params: EmailParams[EmailKind]
  secret_id: string | null
  attempts: number
  lease: string
  last_error: string | null
  is_expired: boolean
  is_secret_expired: boolean
  password_ends_at: string | null
}

function toClaimedEmail({ id, kind, params, secret_id, attempts, lease, ...row }: ClaimedRow): ClaimedEmail {
  const recipient = { email: row.recipient_email, name: row.recipient_name, locale: row.locale }
  return {
    id,
    kind,
    recipient,
    params,
    secretId: secret_id,
    passwordEndsAt: row.password_ends_at,
    attempts,
    lease,
    lastError: row.last_error,
    isExpired: row.is_expired,
    isSecretExpired: row.is_secret_expired,
  }
}

/** Saves the result of an attempt; false: the lease had ended and another worker may have claimed the email. */
export async function completeAttempt(
  database: Database,
  { id, lease }: ClaimedEmail,
  result: AttemptResult,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .autocommit(asWorker)
    .updateTable('emails')
    .set({
      status: result.status,
      claimed_until: null,
      last_error: result.status === 'sent' ? null : result.error,
      ...(result.status === 'pending'
        ? { next_attempt_at: sql<string>`least(now() + make_interval(secs => ${result.pauseSeconds}), expires_at)` }
        : { finished_at: sql<string>`now()` }),
    })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('claimed_until', '=', lease)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
