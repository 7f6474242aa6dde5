import { sql } from 'kysely'
import { systemRoles } from '../../access/system-roles.ts'
import { problemFromDatabase } from '../../database/errors.ts'
import type { Tx } from '../../database/open.ts'
import { enterCompany } from '../../database/scopes.ts'
import { newId } from '../../lib/ids.ts'
import { isReserved, slugFrom } from '../../lib/slugs.ts'
import { folded } from '../../lib/text.ts'
import { problem } from '../../problems.ts'
import { type AuditActor, record } from '../audit/records.ts'
import { nameColumns } from '../roles/names.ts'
import type { NewCompany } from './schemas.ts'

/** Creates a company with its system roles and its owner. The transaction acts in it afterwards. */
export async function insertCompany(
  tx: Tx,
  actor: AuditActor,
  ownerId: string,
  { name, taxId, slug, locale = '' }: NewCompany & { locale?: string | undefined },
): Promise<string> {
  if (slug !== undefined && isReserved(slug)) throw problem('slug_taken')

  const companyId = newId()
  await enterCompany(tx, companyId, ownerId)
  await tx
    .insertInto('companies')
    .values({ id: companyId, name, name_folded: folded(name), tax_id: taxId, slug: slug ?? slugFrom(name), locale })
    .execute()
    .catch((error: Error) => {
      throw slug === undefined && isSlugTaken(error) ? problem('company_name_taken', { cause: error }) : error
    })
  const ownerRoleId = await createSystemRoles(tx)
  await tx.insertInto('memberships').values({ account_id: ownerId, opened_at: sql`now()` }).execute()
  await tx.insertInto('membership_roles').values({ account_id: ownerId, role_id: ownerRoleId }).execute()
  await tx.insertInto('company_counters').values({ active_members: 1 }).execute()
  await record(tx, actor, 'companies.create', { type: 'company', id: companyId, label: name })
  return companyId
}

/**
 * Read from the failed insert and not before it, so that the later of two simultaneous requests gets the same answer.
 */
const isSlugTaken = (error: Error) => problemFromDatabase(error)?.code === 'slug_taken'

async function createSystemRoles(tx: Tx): Promise<string> {
  const roles = systemRoles.map(({ key, name, description, permissions }) => ({
    id: newId(),
    ...nameColumns(name),
    search: folded(`${name} ${description}`),
    description,
    permissions: [...permissions],
    system_key: key,
  }))
  await tx.insertInto('roles').values(roles).execute()
  return roles.find((role) => role.system_key === 'owner')?.id as string
}
