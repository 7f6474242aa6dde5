import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { asWorker, inCompany } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { noteCheck } from './checks.ts'
import { type CheckResult, canResolve, checkRecord } from './dns.ts'
import { noteLapse } from './lapse.ts'

type RecheckDeps = Pick<Deps, 'config' | 'database'>

/** A verified domain whose check is due. */
interface DueDomain {
  company_id: string
  id: string
  name: string
  token: string
}

export interface Recheck {
  signal: AbortSignal
  onFailure(error: Error, companyId: string): void
}

const DOMAINS_AT_ONCE = 20

/**
 * For the worker: checks the domains that are due, each of them on one node, and lapses those that have failed for seven days.
 * False: the name servers do not answer at all, which says nothing about the domains; they stay due.
 */
export async function recheckDomains(deps: RecheckDeps, recheck: Recheck): Promise<boolean> {
  for (;;) {
    const due = recheck.signal.aborted ? [] : await claimDue(deps)
    const results = await Promise.all(due.map((domain) => checkRecord(deps.config.dnsServers, domain)))
    const isUnanswered = results.length > 0 && results.every((result) => result === 'unanswered')
    if (isUnanswered && !(await canResolve(deps.config.dnsServers))) return false
    for (const [index, domain] of due.entries())
      await noteRecheck(deps, domain, results[index] as CheckResult).catch((error) =>
        recheck.onFailure(error, domain.company_id),
      )
    if (due.length < DOMAINS_AT_ONCE) return true
  }
}

async function claimDue({ database }: RecheckDeps): Promise<DueDomain[]> {
  const { rows } = await database.write(asWorker, (tx) =>
    sql<DueDomain>`select company_id, id, name, token from claim_due_domains(${DOMAINS_AT_ONCE})`.execute(tx),
  )
  return rows
}

async function noteRecheck({ config, database }: RecheckDeps, domain: DueDomain, result: CheckResult): Promise<void> {
  await database.write(inCompany(domain.company_id, ''), async (tx) => {
    await noteCheck(tx, domain, result)
    if (result !== 'found' && (await lapseFailing(tx, domain))) await noteLapse(tx, config, domain, 'record missing')
  })
}

/** False: it fails for a shorter time, or another company or a member has changed it meanwhile. */
async function lapseFailing(tx: Tx, { id, token }: DueDomain): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('company_domains')
    .set({ status: 'lapsed', check_at: null, failing_since: null })
    .where('id', '=', id)
    .where('token', '=', token)
    .where('status', '=', 'verified')
    .where('failing_since', '<=', sql<string>`now() - interval '7 days'`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
