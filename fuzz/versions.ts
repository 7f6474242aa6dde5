import type { Exchange } from './authority.ts'
import type { FuzzContext } from './context.ts'
import type { Request } from './requests.ts'
import type { Violation } from './response-checks.ts'
import { CURRENT_ETAG } from './values.ts'

/** Replaces CURRENT_ETAG by the entity tag of the resource, or drops the header where there is none. */
export async function withCurrentTag({ world, client }: FuzzContext, request: Request): Promise<Request> {
  if (!request.headers.some(([, value]) => value === CURRENT_ETAG)) return request
  const others = request.headers.filter(([, value]) => value !== CURRENT_ETAG)
  const path = request.path.split(/[?#]/)[0] as string
  if (!world.document.operationAt('GET', path)) return { ...request, headers: others }
  const headers = others.filter(([name]) => name === 'authorization' || name === 'x-company-id')
  const { status, headers: found } = await client.send({ method: 'GET', path, headers, body: undefined })
  const tag = found.get('etag')?.[0]
  if (status !== 200 || tag === undefined) return { ...request, headers: others }
  const named = request.headers.map(([name, value]): [string, string] => [name, value === CURRENT_ETAG ? tag : value])
  return { ...request, headers: named, tag }
}

/** A request with the current entity tag is not refused as outdated and not answered in full. For single requests. */
export function versionViolations({ request, answer }: Exchange): Violation[] {
  const { tag, method, headers } = request
  const conditions = headers.map(([name]) => name.toLowerCase()).filter((name) => name.startsWith('if-'))
  const heeded = method === 'GET' ? 'if-none-match' : 'if-match'
  if (tag === undefined || conditions.join() !== heeded) return []
  const violation = (about: string) => [{ rule: 'the current ETag matches', about: `${tag}: ${about}` }]
  if (answer.status === 412) return violation('was refused as outdated')
  return method === 'GET' && answer.status === 200 ? violation('was sent again') : []
}
