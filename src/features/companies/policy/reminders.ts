import { type QueryResult, sql } from 'kysely'
import { IS_OPENED } from '../../../access/sessions.ts'
import type { Config } from '../../../config/config.ts'
import type { Database, Tx } from '../../../database/open.ts'
import { asWorker, inCompany } from '../../../database/scopes.ts'
import { NIL_UUID } from '../../../lib/ids.ts'
import { type CompanyContext, companyParams, withCompanyLocale } from '../../mail/outbox/company-context.ts'
import type { Recipient } from '../../mail/outbox/emails.ts'
import { enqueueEmailWithinLimits, mailboxLimit } from '../../mail/outbox/enqueue.ts'
import { ALL_MEMBERS, type MemberRange, memberRangeAfter } from './member-ranges.ts'

const COMPANIES_AT_ONCE = 100
/** Of those who are reminded in one transaction; it looks at one range of members for them. */
const EMAILS_AT_ONCE = 200

export interface Reminding extends Pick<Config, 'emailLimits'> {
  signal: AbortSignal
  onFailure(error: Error, companyId: string): void
  companiesAtOnce?: number
  emailsAtOnce?: number
  membersAtOnce?: number
}

/**
 * For the worker: reminds members who lack a second factor before the day from which their company asks for one. However many
 * nodes do so at once, each member is reminded once in a round, because each batch is one transaction with the company's row. A
 * company whose members can't be reminded has its next turn in the next round, and holds up no other.
 */
export async function remindOfSecondFactors(database: Database, reminding: Reminding): Promise<void> {
  const { signal, onFailure } = reminding
  for await (const id of dueCompanies(database, reminding)) {
    try {
      while (!signal.aborted && (await remindSome(database, id, reminding)));
    } catch (error) {
      onFailure(error as Error, id)
    }
    if (signal.aborted) return
  }
}

/** Each comes once. */
async function* dueCompanies(
  database: Database,
  { companiesAtOnce = COMPANIES_AT_ONCE }: Reminding,
): AsyncGenerator<string> {
  for (let last: Due = { id: NIL_UUID, remindAt: '-infinity' }; ; ) {
    const { rows }: QueryResult<Due> = await sql<Due>`
      select id, remind_at::text as "remindAt"
      from companies_to_remind(${last.remindAt}::timestamptz, ${last.id}::uuid, ${companiesAtOnce})`.execute(
      database.autocommit(asWorker),
    )
    for (const { id } of rows) yield id
    if (rows.length < companiesAtOnce) return
    last = rows.at(-1) as Due
  }
}

interface Due {
  id: string
  /** To the microsecond. */
  remindAt: string
}

/** False: nothing is left to do, or another node does it. */
async function remindSome(
  database: Database,
  companyId: string,
  { emailLimits, emailsAtOnce = EMAILS_AT_ONCE, membersAtOnce }: Reminding,
): Promise<boolean> {
  return database.write({ ...inCompany(companyId, ''), slow: true }, async (tx) => {
    const company = await lockDueCompany(tx)
    if (!company) return false
    const range = await memberRangeAfter(tx, company.policy_reminded_to ?? ALL_MEMBERS.after, membersAtOnce)
    const members = await findLacking(tx, range, emailsAtOnce)
    const params = { ...companyParams(company), until: company.from, timezone: company.timezone }
    for (const member of members.toSorted((a, b) => (a.email < b.email ? -1 : 1))) {
      // What is withheld comes in the next round.
      const limits = { perRecipient: null, perMailbox: mailboxLimit(emailLimits, member) }
      await enqueueEmailWithinLimits(tx, limits, 'second_factor_due', withCompanyLocale(member, company), params)
    }
    const lastId = members.length < emailsAtOnce ? range.until : (members.at(-1)?.id as string)
    const isLast = lastId === ALL_MEMBERS.until
    await (isLast ? endRound(tx) : continueRound(tx, lastId))
    return !isLast
  })
}

type DueCompany = CompanyContext & { from: string; policy_reminded_to: string | null }

/** Undefined: another node has reminded its members, or does so right now, or the policy has changed. */
async function lockDueCompany(tx: Tx): Promise<DueCompany | undefined> {
  return tx
    .selectFrom('companies')
    .select(['id', 'name', 'locale', 'timezone', 'policy_reminded_to'])
    .select(sql<string>`policy_factor_from`.as('from'))
    .where('policy_remind_at', '<=', sql<string>`now()`)
    .where('policy_factor_from', 'is not', null)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
}

type Lacking = Recipient & { id: string; is_verified: boolean; is_joined_first: boolean }

/** In the order of their ids, so that the next batch begins where this one ends. */
async function findLacking(tx: Tx, { after, until }: MemberRange, membersMax: number): Promise<Lacking[]> {
  const { rows } = await sql<Lacking>`
    select accounts.id, accounts.email, accounts.name, accounts.locale, accounts.email_verified_at is not null as is_verified,
      accounts.email_verified_at is null and joined_first(accounts.id) as is_joined_first
    from memberships own
    join accounts on accounts.id = own.account_id
    join companies on companies.id = own.company_id
    where own.status = 'active' and ${sql.raw(IS_OPENED)} and not own.second_factor
      and accounts.disabled_at is null and own.account_id > ${after} and own.account_id <= ${until}
      and asks_second_factor(companies, array(
        select coalesce(roles.system_key, coalesce(roles.replaced_by, roles.id)::text)
        from membership_roles join roles on roles.id = membership_roles.role_id
        where membership_roles.account_id = own.account_id), 'infinity')
    order by own.account_id limit ${membersMax}`.execute(tx)
  return rows
}

async function continueRound(tx: Tx, lastId: string): Promise<void> {
  await tx.updateTable('companies').set({ policy_reminded_to: lastId, policy_reminded_at: sql`now()` }).execute()
}

/** The rounds are 14 and 3 days before, and on the day itself, but at least a day apart. */
async function endRound(tx: Tx): Promise<void> {
  await tx
    .updateTable('companies')
    .set({
      policy_reminded_to: null,
      policy_reminded_at: sql`now()`,
      policy_remind_at: sql`case when policy_factor_from > now() then greatest(
        now() + interval '1 day',
        case when policy_factor_from - interval '3 days' > now() then policy_factor_from - interval '3 days'
          else policy_factor_from end) end`,
    })
    .execute()
}
