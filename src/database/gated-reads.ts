import { type Tx, txOver } from './queries.ts'
import { onlyReads, type Scope, type Statement, type StatementResult } from './statements.ts'

/** What a gate decides: the scope of the reads behind it, and whether it has already brought its transaction there. */
export interface Decision {
  scope: Scope
  isEntered: boolean
}

export interface Gate {
  /** Decides by its row; run with rights of its own. */
  scope: Scope
  statement: Statement
  /** Throws for a refusal. */
  decide(row: unknown): Promise<Decision>
}

export interface GatedReads {
  /** Its statements give a result only when the gate lets them; otherwise they fail as the gate does. */
  tx: Tx
  /** Resolves, or throws, when the gate has decided. */
  decided(): Promise<void>
}

type Results = PromiseSettledResult<StatementResult>[]

export interface Sending {
  /** Together, in one transaction; tells what became of each. */
  together(scope: Scope, statements: Statement[]): Promise<Results>
  alone(scope: Scope, statement: Statement): Promise<StatementResult>
}

/**
 * Reads that do not wait for the statement that decides on them: those that are asked for together at first travel behind
 * it, in one round trip. A closed gate keeps every row from them, and their results wait for its decision in any case.
 */
export function gateReads({ scope, statement: gate, decide }: Gate, sending: Sending): GatedReads {
  const waiting: Statement[] = []
  let opened: { sent: Promise<Results>; decision: Promise<Decision> } | undefined

  const open = () => {
    if (opened) return opened
    const sent = sending.together(scope, [gate, ...waiting])
    const decision = sent.then((results) => decide(resultAt(results, 0).rows[0]))
    // Without this a refusal would end the process when no read awaits it.
    decision.catch(() => {})
    opened = { sent, decision }
    return opened
  }
  const run = async (statement: Statement): Promise<StatementResult> => {
    if (opened || !onlyReads(statement)) return sending.alone((await open().decision).scope, statement)
    const place = waiting.push(statement)
    await everythingAskedFor()
    const { sent, decision } = open()
    const decided = await decision
    return decided.isEntered ? resultAt(await sent, place) : sending.alone(decided.scope, statement)
  }
  return { tx: txOver(run), decided: async () => void (await open().decision) }
}

/** The promises of this turn of the event loop have run, so that whatever a rule reads together is known. */
const everythingAskedFor = () => new Promise<void>((resolve) => process.nextTick(resolve))

function resultAt(results: Results, place: number): StatementResult {
  const settled = results[place] as Results[number]
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}
