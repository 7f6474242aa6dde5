import type { Answer } from './client.ts'

const TRIES_MAX = 20

/** Repeats a request while the service is busy, as a client does: a slow machine must not fail a test. */
export async function retryWhileBusy(send: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await send()
    if (answer.status !== 503 || tries === TRIES_MAX) return answer
  }
}
