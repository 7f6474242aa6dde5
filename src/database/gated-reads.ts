import { type Tx, txOver } from './queries.ts'
import { onlyReads, type Scope, type Statement, type StatementResult } from './statements.ts'

/** What a gate decides: the scope of the reads behind it, and whether it has already brought its transaction there. */
export interface Decision {
  scope: Scope
  isEntered: boolean
}

export interface Gate {
  /** Of the gate's own statement. */
  scope: Scope
  statement: Statement
  /** Throws for a refusal. */
  decide(row: unknown): Promise<Decision>
}

export interface GatedReads {
  /** Its statements give results only once the gate has let them. Behind a refusal they never answer. */
  tx: Tx
  /** Resolves, or throws, when the gate has decided. */
  decided(): Promise<void>
  /** Rejects with the refusal, if there is one; never resolves. */
  refused: Promise<never>
}

type Results = PromiseSettledResult<StatementResult>[]

export interface Sending {
  /** Together, in one transaction; tells what became of each. */
  together(scope: Scope, statements: Statement[]): Promise<Results>
  alone(scope: Scope, statement: Statement): Promise<StatementResult>
}

/**
 * Reads that do not wait for the statement that decides on them: the first one travels behind it, in one round trip. Others
 * wait, because together they could take longer than one statement may, and would end the connection of other requests. A
 * closed gate keeps every row from the read, and its result waits for the decision in any case.
 */
export function gateReads({ scope, statement: gate, decide }: Gate, sending: Sending): GatedReads {
  const refusal = Promise.withResolvers<never>()
  // A refusal that is not awaited must not end the process.
  refusal.promise.catch(() => {})
  let opened: { sent: Promise<Results>; decision: Promise<Decision> } | undefined

  const open = (first: Statement[]) => {
    const sent = sending.together(scope, [gate, ...first])
    const decision = sent.then((results) => decide(resultAt(results, 0).rows[0]))
    decision.catch(refusal.reject)
    opened = { sent, decision }
    return opened
  }
  // A promise of its own each time: one for all would keep whatever waits for it in memory for ever.
  const granted = ({ decision }: { decision: Promise<Decision> }) => decision.catch(() => new Promise<never>(() => {}))
  const run = async (statement: Statement): Promise<StatementResult> => {
    if (opened || !onlyReads(statement)) return sending.alone((await granted(opened ?? open([]))).scope, statement)
    const { sent, decision } = open([statement])
    const { scope, isEntered } = await granted({ decision })
    return isEntered ? resultAt(await sent, 1) : sending.alone(scope, statement)
  }
  const decided = async () => {
    await (opened ?? open([])).decision
  }
  return { tx: txOver(run), decided, refused: refusal.promise }
}

function resultAt(results: Results, place: number): StatementResult {
  const settled = results[place] as Results[number]
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}
