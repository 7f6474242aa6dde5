import type { Tx } from '../../database/open.ts'
import { folded } from '../../lib/text.ts'
import { problem } from '../../problems.ts'

interface Names {
  name?: string | undefined
  code?: string | undefined
}

/**
 * What the database compares and sorts names by. Letter case is folded here, so that it does not depend on the
 * database’s locale.
 */
export const nameColumns = (name: string) => ({ name, name_key: nameKey(name), name_folded: folded(name) })

export const codeColumns = (code: string) => ({ code, code_folded: folded(code) })

const nameKey = (name: string) => name.toLowerCase()

/** The constraints say the same. Checked first, because a taken name is reported before an error about the parent. */
export async function assertNamesAvailable(tx: Tx, { name, code = '' }: Names, exceptFor?: string): Promise<void> {
  const isTaken = async (column: 'name_key' | 'code_folded', key: string) =>
    tx
      .selectFrom('branches')
      .select('id')
      .where(column, '=', key)
      .where('id', 'is distinct from', exceptFor ?? null)
      .executeTakeFirst()
  if (name !== undefined && (await isTaken('name_key', nameKey(name)))) throw problem('branch_name_taken')
  if (folded(code) !== '' && (await isTaken('code_folded', folded(code)))) throw problem('branch_code_taken')
}
