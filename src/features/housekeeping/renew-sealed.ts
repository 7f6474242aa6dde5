import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import { asWorker } from '../../database/scopes.ts'
import { sealedColumns } from '../../database/sealed-columns.ts'
import { NIL_UUID } from '../../lib/ids.ts'
import type { KeyUse } from '../../lib/key-use.ts'
import type { Keys } from '../../lib/keys.ts'
import { kidBytes, seal, unseal } from '../../lib/sealed.ts'

const ROWS_AT_ONCE = 100

interface Deps {
  database: Database
  keys: Keys
  keyUse: Pick<KeyUse, 'maySeal'>
  onFailure: (error: Error) => void
}

type SealedColumn = (typeof sealedColumns)[number]

/**
 * Seals with the current key what a former one has sealed, while that key is still known. A value that can't be opened is
 * left as it is, and its failure names it. Nothing is sealed by a key that other nodes do not accept. Returns how many were sealed anew, and how many of other keys are left.
 */
export async function renewSealed(deps: Deps, signal: AbortSignal): Promise<{ renewed: number; left: number }> {
  const counts = { renewed: 0, left: 0 }
  for (const column of sealedColumns) {
    for (let after = NIL_UUID; deps.keyUse.maySeal && !signal.aborted; ) {
      const rows = await findSealedBefore(deps, column, after)
      for (const row of rows) counts[(await renew(deps, column, row)) ? 'renewed' : 'left']++
      if (rows.length < ROWS_AT_ONCE) break
      after = rows.at(-1)?.id as string
    }
  }
  return counts
}

interface SealedRow {
  id: string
  value: Buffer
}

async function findSealedBefore({ database, keys }: Deps, { table, column }: SealedColumn, after: string) {
  const [name, value] = [sql.table(table), sql.ref(column)]
  const { rows } = await sql<SealedRow>`select id, ${value} as value from ${name}
    where id > ${after} and substring(${value} from 1 for 32) <> ${kidBytes(keys.current)}
    order by id limit ${ROWS_AT_ONCE}`.execute(database.autocommit(asWorker))
  return rows
}

/** A value that was changed meanwhile needs nothing more. */
async function renew(deps: Deps, { table, column }: SealedColumn, { id, value }: SealedRow): Promise<boolean> {
  const { database, keys, onFailure } = deps
  try {
    const place = { table, column, rowId: id }
    const renewed = seal(keys, place, unseal(keys, place, value))
    const [name, set] = [sql.table(table), sql.ref(column)]
    await sql`update ${name} set ${set} = ${renewed} where id = ${id} and ${set} = ${value}`.execute(
      database.autocommit(asWorker),
    )
    return true
  } catch (error) {
    onFailure(error as Error)
    return false
  }
}
