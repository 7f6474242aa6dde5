import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { isReserved } from '../../lib/slugs.ts'
import { folded } from '../../lib/text.ts'
import { problem } from '../../problems.ts'
import { type Changes, record } from '../audit/records.ts'
import { companySubject } from '../audit/subjects.ts'
import { companyParams } from '../mail/outbox/company-context.ts'
import { notifyOwners } from '../members/notify-owners.ts'
import { getCompany } from './companies.ts'
import type { Company, CompanyUpdate } from './schemas.ts'

export async function updateCompany(
  tx: Tx,
  actor: CompanyActor,
  config: Config,
  wanted: CompanyUpdate,
): Promise<Company> {
  const company = await getCompany(tx)
  const changes = changesIn(company, wanted)
  if (Object.keys(changes).length === 0) return company
  // A company that took a reserved slug before it was reserved may keep it.
  if (changes.slug && isReserved(wanted.slug as string)) throw problem('slug_taken')

  const { taxId, ...fields } = wanted
  await tx
    .updateTable('companies')
    .set({
      ...fields,
      ...(fields.name && { name_folded: folded(fields.name) }),
      ...(taxId && { tax_id: taxId }),
      updated_at: sql`now()`,
    })
    .execute()
  const updated = await getCompany(tx)
  // Every email calls it by its name of the moment: who deletes a company could otherwise first give it one that tells its owners nothing.
  if (changes.name) {
    const params = { ...companyParams(updated), former: company.name, by: actor.name, byEmail: actor.email }
    await notifyOwners(tx, config, 'company_renamed', updated, params, {
      actorId: actor.accountId,
      includesFormer: true,
    })
  }
  await record(tx, actor, 'companies.update', companySubject(company), changes)
  return updated
}

function changesIn(company: Company, wanted: CompanyUpdate): Changes {
  const present = (name: string) => company[name as keyof CompanyUpdate]
  const changed = Object.entries(wanted).filter(([name, to]) => to !== undefined && to !== present(name))
  return Object.fromEntries(changed.map(([name, to]) => [name, { from: present(name), to }]))
}
