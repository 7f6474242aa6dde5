import type { Caller } from './callers.ts'
import type { Mutation } from './mutations.ts'
import { type Requester, unusedId } from './placeholders.ts'
import type { Plan } from './plans.ts'
import type { World } from './world.ts'

type Headers = [name: string, value: string][]

interface Sending {
  /** The owner of the token that is sent. */
  caller: Caller
  /** The sender of the request without its mutations. */
  requester: Requester
  /** Headers that the operation's parameters declare. */
  own: Headers
  hasBody: boolean
}

export function headersFor(world: World, plan: Plan, { caller, requester, own, hasBody }: Sending): Headers {
  const of = <Kind extends Mutation['kind']>(kind: Kind) =>
    plan.mutations.filter((mutation): mutation is Mutation & { kind: Kind } => mutation.kind === kind)
  const etag = () => world.etags.at(-1) ?? '"0"'
  const extra: Headers = of('header').map(({ name, value }) => [name, value.replace('%etag', etag)])
  const type: Headers = extra.some(([name]) => name === 'content-type') ? [] : [['content-type', 'application/json']]
  return [
    ...(hasBody ? type : []),
    ...authorization(caller, of('authorization')[0]),
    ...(plan.operation.inCompany ? companyHeaders(world, requester, caller, of('company')[0]) : []),
    ...own,
    ...extra,
  ]
}

function authorization({ credentials, accessToken }: Caller, mutation?: Mutation & { kind: 'authorization' }): Headers {
  const good = `Bearer ${accessToken}`
  if (mutation) {
    const header = mutation.header.replaceAll('%s', () => accessToken)
    return Array.from({ length: mutation.times }, (_, index) => ['authorization', index === 0 ? header : good])
  }
  return credentials === 'none' ? [] : [['authorization', good]]
}

function companyHeaders(
  { companyIds }: World,
  requester: Requester,
  caller: Caller,
  mutation?: Mutation & { kind: 'company' },
): Headers {
  const { companyId: own } = requester
  const values = () => {
    const others = companyIds.filter((id) => id !== caller.companyId)
    const another = others[(mutation?.nth ?? 0) % others.length] as string
    if (!mutation) return [own]
    return {
      another: [another],
      never: [unusedId(mutation.nth)],
      missing: [],
      twice: [own, own],
      'two different': mutation.nth % 2 === 0 ? [own, another] : [another, own],
      malformed: [`{${own}}`],
      'upper case': [own.toUpperCase()],
      empty: [''],
    }[mutation.how]
  }
  return values().map((value) => ['x-company-id', value])
}
