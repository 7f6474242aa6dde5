import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { lookalike } from '../../lib/confusables.ts'
import { folded } from '../../lib/text.ts'
import { problem } from '../../problems.ts'

/**
 * A name and what is unique among the roles of a company: the name without letter case and accents, the skeleton of
 * that, and the skeleton of the name as written (a capital I like a small L, which no folded name shows).
 */
export const nameColumns = (name: string) => ({ name, name_folded: folded(name), ...looksOf(name) })

const looksOf = (name: string) => ({ name_skeleton: lookalike(folded(name)), name_shape: lookalike(name) })

/** Checked under the company’s lock, which every writer of roles has. The constraints catch any other writer. */
export async function assertNameAvailable(tx: Tx, wanted: string, except?: string): Promise<void> {
  await completeNames(tx)
  const { name_folded, name_skeleton, name_shape } = nameColumns(wanted)
  const other = await tx
    .selectFrom('roles')
    .select('id')
    .where((is) =>
      is.or([
        is('name_folded', '=', name_folded),
        is('name_skeleton', '=', name_skeleton),
        is('name_shape', '=', name_shape),
      ]),
    )
    .where('id', 'is distinct from', except ?? null)
    .where('replaced_by', 'is', null)
    .executeTakeFirst()
  if (other) throw problem('role_name_taken')
}

/**
 * Only the service computes skeletons, so roles stored before it did are completed when their company next names a
 * role. Of those that already look alike only the oldest is, because the index allows one.
 */
async function completeNames(tx: Tx): Promise<void> {
  const roles = await tx
    .selectFrom('roles')
    .select(['id', 'name'])
    .where('name_skeleton', 'is', null)
    .where('replaced_by', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  for (const { id, name } of roles) {
    const { name_skeleton, name_shape } = looksOf(name)
    await sql`update roles set name_skeleton = ${name_skeleton}, name_shape = ${name_shape}
      where id = ${id} and not exists (
        select from roles other where other.company_id = roles.company_id and other.replaced_by is null
          and (other.name_skeleton = ${name_skeleton} or other.name_shape = ${name_shape}))`.execute(tx)
  }
}
