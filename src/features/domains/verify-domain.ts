import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { lockActor } from '../../access/memberships.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { enterCompany, inCompany } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { domainSubject } from '../audit/subjects.ts'
import { countCheck, nextCheck, noteCheck } from './checks.ts'
import { type CheckResult, checkRecord } from './dns.ts'
import { findDomain, getDomain } from './domains.ts'
import { noteLapse } from './lapse.ts'
import type { Domain } from './schemas.ts'

type VerifyDeps = Pick<Deps, 'config' | 'database'>

/**
 * Ahead of the transaction of the change, and between two short ones, because the DNS takes up to two seconds. Returns the token that
 * the DNS had. Throws when the record was not found, after storing that.
 */
export async function proveDomain(
  { config, database }: VerifyDeps,
  actor: CompanyActor,
  domainId: string,
): Promise<string> {
  const scope = inCompany(actor.companyId, actor.accountId)
  const domain = await database.write(scope, async (tx) => {
    const locked = await lockActor(tx, actor, { company: 'domains:read' })
    if (!locked.actor.isOwner) throw problem('owner_only')
    const found = await findDomain(tx, domainId)
    if (!found) throw problem('domain_not_found')
    await countCheck(tx, { isLimited: config.rateLimit.enabled })
    return found
  })
  const result: CheckResult = await checkRecord(config.dnsServers, domain)
  if (result === 'found') return domain.token

  await database.write(scope, (tx) => noteCheck(tx, domain, result))
  throw problem('domain_record_not_found')
}

/**
 * The company now has the domain, and a company that had it before has it no more: who controls the DNS now decides.
 * Checking a verified domain again changes nothing else.
 */
export async function verifyDomain(
  tx: Tx,
  actor: CompanyActor,
  config: Config,
  domainId: string,
  provedToken: string,
): Promise<Domain> {
  const domain = await findDomain(tx, domainId)
  if (!domain) throw problem('domain_not_found')
  // Another company has verified the name since the check began, and the record proves nothing any more.
  if (domain.token !== provedToken) throw problem('domain_taken')
  if (domain.status === 'verified') {
    await noteCheck(tx, domain, 'found')
    const noted = await getDomain(tx, domainId)
    // Another company was done while this waited for the row.
    if (noted.status !== 'verified') throw problem('domain_taken')
    return noted
  }

  await takeDomain(tx, actor, config, { domainId, provedToken })
  await tx
    .updateTable('company_domains')
    .set({
      status: 'verified',
      verified_at: sql<string>`clock_timestamp()`,
      check_at: nextCheck(24),
      failing_since: null,
    })
    .set({ checked_at: sql<string>`clock_timestamp()`, check_result: 'found' })
    .where('id', '=', domainId)
    .execute()
  await record(tx, actor, 'domains.verify', domainSubject(domain), { status: { from: domain.status, to: 'verified' } })
  return getDomain(tx, domainId)
}

/** Acts in the company that had the domain before, for its log and its emails, and comes back. */
async function takeDomain(
  tx: Tx,
  { companyId, accountId }: CompanyActor,
  config: Config,
  { domainId, provedToken }: { domainId: string; provedToken: string },
): Promise<void> {
  const { rows } = await sql<{ company_id: string; id: string; name: string }>`
    select company_id, id, name from prove_domain(${domainId}::uuid, ${provedToken})`.execute(tx)
  for (const { company_id, ...other } of rows) {
    await enterCompany(tx, company_id, '')
    await noteLapse(tx, config, other, 'verified by another company')
    await enterCompany(tx, companyId, accountId)
  }
}
