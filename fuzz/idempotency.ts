import type { TestDatabase } from '../test/support/database.ts'
import type { Exchange } from './authority.ts'
import type { FuzzContext } from './context.ts'
import type { HttpAnswer } from './http-client.ts'
import type { Request } from './requests.ts'
import type { Violation } from './response-checks.ts'

const violation = (about: string): Violation => ({ rule: 'one idempotency key has one effect', about })

/** Repeats a request with its Idempotency-Key: the answer is the same, and nothing changes. */
export async function replayViolations(
  { world, client }: FuzzContext,
  { request, answer }: Exchange,
): Promise<Violation[]> {
  if (!hasGoodKey(request)) return []
  const before = await contentOf(world.service.db)
  const again = await client.send(request)
  if (!isReplay(again)) {
    // Refusals that may not last are not stored, and the request may have ended the caller's own access.
    const isExcused = answer.status >= 300 || [401, 403, 404].includes(again.status)
    return isExcused
      ? []
      : [violation(`${answer.status}, then not replayed but ${again.status}: ${again.text.slice(0, 300)}`)]
  }
  const violations: Violation[] = []
  if (again.status !== answer.status || again.text !== answer.text)
    violations.push(violation(`${answer.status}, then ${again.status} with another body: ${again.text.slice(0, 300)}`))
  if (cookieIn(again) !== cookieIn(answer)) violations.push(violation('the repetition sets another cookie'))
  const after = await contentOf(world.service.db)
  const changed = [...after].filter(([table, content]) => before.get(table) !== content).map(([table]) => table)
  if (changed.length > 0) violations.push(violation(`the repeated request changed ${changed}`))
  return violations
}

/** Of several copies of a request sent in parallel, one takes effect, and all get its answer. */
export function duplicateEffects(exchanges: Exchange[]): Violation[] {
  const served = exchanges.filter(({ request, answer }) => hasGoodKey(request) && answer.status < 300)
  return [...Map.groupBy(served, ({ request }) => request).values()].flatMap((same) => {
    // Parallel exchanges of one refresh token return the same pair, with or without a key.
    const isShared = same[0]?.request.operation?.id === 'refreshTokens'
    const done = isShared ? [] : same.filter(({ answer }) => !isReplay(answer))
    const texts = new Set(same.map(({ answer }) => answer.text))
    return [
      ...(done.length > 1 ? [violation(`done ${done.length} times at once`)] : []),
      ...(texts.size > 1 ? [violation(`answered in ${texts.size} ways at once`)] : []),
    ]
  })
}

const cookieIn = ({ headers }: HttpAnswer) => headers.get('set-cookie')?.join()

export const isReplay = ({ headers }: HttpAnswer) => headers.get('idempotent-replayed')?.[0] === 'true'

function hasGoodKey({ method, headers, operation }: Request): boolean {
  const keys = headers.filter(([name]) => name.toLowerCase() === 'idempotency-key').map(([, value]) => value)
  const isKnown = operation?.parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key')
  return method !== 'GET' && isKnown === true && keys.length === 1 && /^[\x21-\x7e]{1,255}$/.test(keys[0] as string)
}

/** A hash of the contents of each table. */
async function contentOf(db: TestDatabase): Promise<Map<string, string>> {
  const tables = await db.query<{ name: string }>(`select tablename as name from pg_tables where schemaname = 'public'`)
  const parts = tables.map(
    ({ name }) =>
      `select '${name}' as name, md5(coalesce(string_agg(t::text, ' ' order by t::text), '')) as content from ${name} t`,
  )
  const rows = await db.query<{ name: string; content: string }>(parts.join(' union all '))
  return new Map(rows.map(({ name, content }) => [name, content]))
}
