import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { lookalike } from '../../lib/confusables.ts'
import { folded } from '../../lib/text.ts'
import { problem } from '../../problems.ts'

/**
 * A name and what no two roles of a company have in common: the name without letter case and accents, what that looks like,
 * and what the name looks like as it was written (a capital I like a small L, which no folded name shows).
 */
export const nameColumns = (name: string) => ({ name, name_folded: folded(name), ...looksOf(name) })

const looksOf = (name: string) => ({ name_skeleton: lookalike(folded(name)), name_shape: lookalike(name) })

/** Asked under the company's lock, which every writer of roles takes; the constraints say the same of any other. */
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
    .executeTakeFirst()
  if (other) throw problem('role_name_taken')
}

/**
 * Only the service knows what a name looks like, so roles that were made before it asked are completed when their company
 * next names one. Of those that look alike already the oldest alone is, for the index holds one of them.
 */
async function completeNames(tx: Tx): Promise<void> {
  const roles = await tx
    .selectFrom('roles')
    .select(['id', 'name'])
    .where('name_skeleton', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  for (const { id, name } of roles) {
    const { name_skeleton, name_shape } = looksOf(name)
    await sql`update roles set name_skeleton = ${name_skeleton}, name_shape = ${name_shape}
      where id = ${id} and not exists (
        select from roles other where other.company_id = roles.company_id
          and (other.name_skeleton = ${name_skeleton} or other.name_shape = ${name_shape}))`.execute(tx)
  }
}
