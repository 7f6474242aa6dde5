import type { Tx } from './open.ts'
import { statement } from './queries.ts'

/** Runs a statement that is one of few texts. */
export const readFixed = <Row>(tx: Tx, text: string, values: readonly unknown[]): Promise<Row[]> =>
  statement<Row, unknown[]>(text)(tx, ...values)
