import { CompiledQuery } from 'kysely'
import type { Tx } from './open.ts'

/** Runs a statement whose text is fixed, for the most frequent reads: building one takes as long as its page. */
export async function readFixed<Row>(tx: Tx, text: string, values: readonly unknown[]): Promise<Row[]> {
  const { rows } = await tx.executeQuery<Row>(CompiledQuery.raw(text, [...values]))
  return rows
}
