import type { Coverage } from './coverage.ts'
import type { HttpClient } from './http-client.ts'
import type { AnswerChecks } from './response-checks.ts'
import type { World } from './world.ts'

/** The service, a client for it and all checks: what a batch runs with. */
export interface FuzzContext {
  world: World
  client: HttpClient
  checkAnswer: AnswerChecks
  invariants: Record<string, string>
  coverage: Coverage
}
