import { isJson, Problem, secondsIn } from './problem.ts'

export interface RetryOptions {
  /** How often a request is sent at most, the first time included. 4 by default. */
  attempts?: number
  /** The wait before the second attempt, which doubles with each further one, plus as much again by chance. 300. */
  delayMs?: number
  /** A longer `Retry-After` is not waited for: the problem is thrown, and says how long it is. 10,000. */
  retryAfterMaxMs?: number
  /** After how long an attempt without an answer counts as failed. 20,000. */
  timeoutMs?: number
}

export type Fetch = (request: Request) => Promise<Response>

/** Sends a request that has an `Idempotency-Key` or changes nothing, until it is answered. */
export function withRetries(fetch: Fetch, options: RetryOptions = {}): Fetch {
  const { attempts = 4, delayMs = 300, retryAfterMaxMs = 10_000, timeoutMs = 20_000 } = options

  return async function send(request) {
    for (let made = 1; ; made++) {
      const outcome = await attempt(fetch, request, timeoutMs)
      const backoffMs = delayMs * 2 ** (made - 1) * (1 + Math.random())
      const waitMs = outcome instanceof Response ? waitAfter(outcome, backoffMs) : backoffMs
      if (waitMs === undefined || waitMs > retryAfterMaxMs || made >= attempts) return settle(outcome)
      await unlessAborted(new Promise((resolve) => setTimeout(resolve, waitMs)), request.signal)
    }
  }
}

type Outcome = Response | { error: unknown }

async function attempt(fetch: Fetch, request: Request, timeoutMs: number): Promise<Outcome> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), timeoutMs)
  try {
    const signal = AbortSignal.any([request.signal, timeout.signal])
    return await readJson(await fetch(new Request(request.clone(), { signal })))
  } catch (error) {
    request.signal.throwIfAborted()
    return { error }
  } finally {
    clearTimeout(timer)
  }
}

/** Reads a JSON body to its end, so that one that is cut off is an attempt that failed. */
async function readJson(response: Response): Promise<Response> {
  if (!isJson(response)) return response
  const text = await response.text()
  JSON.parse(text)
  return new Response(text, response)
}

/** Milliseconds until the next attempt; undefined: this is the answer. */
function waitAfter({ status, headers }: Response, backoffMs: number): number | undefined {
  const seconds = secondsIn(headers)
  const afterMs = seconds === undefined ? undefined : seconds * 1000 + backoffMs / 4
  if (status > 501 && status < 505) return afterMs ?? backoffMs
  // 409 has it only while an earlier attempt of the same write is still running.
  return status === 429 || status === 409 ? afterMs : undefined
}

function settle(outcome: Outcome): Response {
  if (outcome instanceof Response) return outcome
  const { error: cause } = outcome
  throw new Problem(cause instanceof SyntaxError ? 'unexpected_response' : 'network_error', { cause })
}

/** Ends the waiting when the signal says so, not what is waited for. */
export function unlessAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
  })
  return Promise.race([promise, aborted])
}
