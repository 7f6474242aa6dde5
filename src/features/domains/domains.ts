import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { findPage } from '../../database/paging.ts'
import { newId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { domainSubject } from '../audit/subjects.ts'
import { recordOf } from './dns.ts'
import { findJoinRoles, type JoinRole } from './join-roles.ts'
import type { Domain, DomainQuery, NewDomain } from './schemas.ts'

const DOMAINS_MAX = 20

/** Proves nothing yet: any company may add any domain that is not shared. */
export async function addDomain(tx: Tx, actor: CompanyActor, { name }: NewDomain): Promise<Domain> {
  const names = await tx.selectFrom('company_domains').select('name').execute()
  if (names.some((domain) => domain.name === name)) throw problem('domain_taken')
  if (names.length >= DOMAINS_MAX) throw problem('domain_limit_reached')

  const id = newId()
  await tx.insertInto('company_domains').values({ id, name }).execute()
  await record(tx, actor, 'domains.create', domainSubject({ id, name }))
  return getDomain(tx, id)
}

export async function listDomains(tx: Tx, { sortBy, sortDir, ...page }: DomainQuery): Promise<Page<Domain>> {
  const { items, total } = await findPage(tx.selectFrom('company_domains'), page, (domains, count) =>
    domains.select(COLUMNS).select(count.as('total')).orderBy(sortBy, sortDir).orderBy('id', sortDir),
  )
  const roles = await findJoinRoles(
    tx,
    items.map(({ id }) => id),
  )
  return { items: items.map((row) => domainView(row, roles.get(row.id))), total }
}

/** The only way to read one domain, because its ETag is made from this. */
export async function getDomain(tx: Tx, domainId: string): Promise<Domain> {
  const [row, roles] = await Promise.all([findDomain(tx, domainId), findJoinRoles(tx, [domainId])])
  if (!row) throw problem('domain_not_found')
  return domainView(row, roles.get(domainId))
}

/** Requests to join by it stay: people decide about them. */
export async function deleteDomain(tx: Tx, actor: CompanyActor, domainId: string): Promise<{ id: string }> {
  const domain = await findDomain(tx, domainId)
  if (!domain) throw problem('domain_not_found')

  await tx.deleteFrom('company_domains').where('id', '=', domainId).execute()
  await record(tx, actor, 'domains.delete', domainSubject(domain), { status: { from: domain.status } })
  return { id: domainId }
}

/** As it counts now: where an intruder may have chosen that people join by themselves, they ask. */
export const joinPolicy = sql<Domain['joinPolicy']>`
  case when join_policy = 'auto' and not is_joining_stood_by(company_domains.id) then 'request' else join_policy end`

/** What the company publishes now: another one after each proof of the name by another company. */
export const domainToken = sql<string>`domain_token(company_domains.id, company_domains.name, company_domains.token)`

const COLUMNS = [
  'id',
  'name',
  domainToken.as('token'),
  'status',
  joinPolicy.as('join_policy'),
  'verified_at',
  'checked_at',
  'check_result',
  'failing_since',
  'created_at',
] as const

/** Undefined: the company has no such domain. */
export async function findDomain(tx: Tx, domainId: string) {
  return tx.selectFrom('company_domains').select(COLUMNS).where('id', '=', domainId).executeTakeFirst()
}

type Row = NonNullable<Awaited<ReturnType<typeof findDomain>>>

function domainView({ token, join_policy, ...row }: Row, roles: JoinRole[] = []): Domain {
  return {
    ...row,
    record: recordOf({ name: row.name, token }),
    joinPolicy: join_policy,
    joinRoles: roles.map(({ id, name, given }) => ({ id, name, given })),
  }
}
