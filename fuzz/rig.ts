import type { Coverage } from './coverage.ts'
import type { AnswerJudge } from './judge.ts'
import type { Wire } from './wire.ts'
import type { World } from './world.ts'

/** All that a batch is run with. */
export interface Rig {
  world: World
  wire: Wire
  judge: AnswerJudge
  invariants: Record<string, string>
  coverage: Coverage
}
