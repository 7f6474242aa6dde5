import type { Tx } from './open.ts'
import { statement } from './queries.ts'

/** Runs one of a few texts, which are made of constants: such as one text for each order of a list. */
export const readFixed = <Row>(tx: Tx, text: string, values: readonly unknown[]): Promise<Row[]> =>
  statement<Row, unknown[]>(text)(tx, ...values)
