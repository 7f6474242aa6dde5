import { sql } from 'kysely'
import type { Actor, CompanyActor } from '../../access/actors.ts'
import { authorityOf } from '../../access/authority.ts'
import { assertFresh, FRESH, WITH_FACTOR } from '../../access/freshness.ts'
import { assertSessionLive, findMembership } from '../../access/memberships.ts'
import { assertLetInFromAnywhere } from '../../access/policies.ts'
import { stricter } from '../../access/requirements.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount, enterCompany } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { companySubject } from '../audit/subjects.ts'
import { companyParams } from '../mail/outbox/company-context.ts'
import { notifyOwners } from '../members/notify-owners.ts'
import { deleteTransfer } from '../ownership/transfers.ts'
import { getCompany } from './companies.ts'
import type { Company } from './schemas.ts'

/**
 * A soft delete. From its commit on access finds the company no longer, and requests that came in before wait for its
 * lock and don’t find it either. An owner can restore it until it is purged.
 */
export async function deleteCompany(tx: Tx, actor: CompanyActor, config: Config): Promise<{ id: string }> {
  const company = await tx
    .updateTable('companies')
    .set({ deleted_at: sql`now()`, updated_at: sql`now()` })
    .returning(['id', 'name', 'locale', 'timezone', sql<string>`now() + company_restore_period()`.as('until')])
    .executeTakeFirstOrThrow()
  await deleteTransfer(tx)
  const { name, timezone, until } = company
  const params = { company: name, by: actor.name, byEmail: actor.email, until, timezone }
  await notifyOwners(tx, config, 'company_deleted', company, params, {
    actorId: actor.accountId,
    includesFormer: true,
  })
  await record(tx, actor, 'companies.delete', companySubject(company))
  return { id: company.id }
}

/**
 * For owners, while the company can still be restored. For every other account the company does not exist. From any network: a thief in
 * an owner's session, who names networks of their own and deletes the company, would otherwise be the only one who can restore it. It shows nothing
 * of the company, and the networks count again from then on.
 */
export async function restoreCompany(
  { config, database }: Pick<Deps, 'config' | 'database'>,
  actor: Actor,
  companyId: string,
): Promise<Company> {
  return database.write(asAccount(actor.accountId), async (tx) => {
    await enterCompanyOfMember(tx, actor, companyId)
    const company = await lockDeletedCompany(tx)
    await assertSessionLive(tx, actor)
    const own = await findMembership(tx, actor.accountId)
    if (!company || own?.status !== 'active' || !own.is_opened) throw problem('company_not_found')
    if (!company.isDeleted) throw problem('company_not_deleted')
    if (!company.isRestorable || !authorityOf(own.roles).isOwner) throw problem('company_not_found')
    if (company.isSuspended) throw problem('company_suspended')
    await assertLetInFromAnywhere(tx, actor)
    // It lets all members in again, of whom one may be why it was deleted.
    await assertFresh(tx, actor, stricter(company.hasNetworks ? FRESH : WITH_FACTOR, company.stepUpMinutes))

    await tx.updateTable('companies').set({ deleted_at: null, updated_at: sql`now()` }).execute()
    const params = { ...companyParams(company), by: actor.name, byEmail: actor.email }
    await notifyOwners(tx, config, 'company_restored', company, params, {
      actorId: actor.accountId,
      includesFormer: true,
    })
    await record(tx, actor, 'companies.restore', companySubject(company))
    return getCompany(tx)
  })
}

/** An account sees only its own memberships, so it can’t enter another company by its id. */
async function enterCompanyOfMember(tx: Tx, { accountId }: Actor, companyId: string): Promise<void> {
  const membership = await tx
    .selectFrom('memberships')
    .select('company_id')
    .where('company_id', '=', companyId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (!membership) throw problem('company_not_found')
  await enterCompany(tx, companyId, accountId)
}

/** A purge begins with the same lock: of a purge and a restore one comes first, and the other finds nothing to do. */
async function lockDeletedCompany(tx: Tx) {
  return tx
    .selectFrom('companies')
    .select(['id', 'name', 'locale', 'timezone', sql<boolean>`deleted_at is not null`.as('isDeleted')])
    .select(sql<boolean>`suspended_at is not null`.as('isSuspended'))
    .select(sql<boolean>`policy_networks is not null`.as('hasNetworks'))
    .select(sql<number | null>`(extract(epoch from policy_step_up) / 60)::integer`.as('stepUpMinutes'))
    .select(
      sql<boolean>`coalesce(deleted_at + company_restore_period() > now(), false) and purge_started_at is null`.as(
        'isRestorable',
      ),
    )
    .forNoKeyUpdate()
    .executeTakeFirst()
}
