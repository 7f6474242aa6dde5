import type { Caller } from './callers.ts'
import type { Fault } from './faults.ts'
import { type Asker, neverId } from './picks.ts'
import type { Plan } from './plans.ts'
import type { World } from './world.ts'

type Headers = [name: string, value: string][]

interface Sending {
  /** Whose token is sent. */
  caller: Caller
  /** Whose request it would be if it were good. */
  asker: Asker
  /** What the operation's parameters say. */
  own: Headers
  hasBody: boolean
}

export function headersFor(world: World, plan: Plan, { caller, asker, own, hasBody }: Sending): Headers {
  const of = <Kind extends Fault['kind']>(kind: Kind) =>
    plan.faults.filter((fault): fault is Fault & { kind: Kind } => fault.kind === kind)
  const etag = () => world.etags.at(-1) ?? '"0"'
  const extra: Headers = of('header').map(({ name, value }) => [name, value.replace('%etag', etag)])
  const type: Headers = extra.some(([name]) => name === 'content-type') ? [] : [['content-type', 'application/json']]
  return [
    ...(hasBody ? type : []),
    ...authorization(caller, of('authorization')[0]),
    ...(plan.operation.inCompany ? companyHeaders(world, asker, caller, of('company')[0]) : []),
    ...own,
    ...extra,
  ]
}

function authorization({ standing, accessToken }: Caller, fault?: Fault & { kind: 'authorization' }): Headers {
  const good = `Bearer ${accessToken}`
  if (fault) {
    const header = fault.header.replaceAll('%s', () => accessToken)
    return Array.from({ length: fault.times }, (_, index) => ['authorization', index === 0 ? header : good])
  }
  return standing === 'none' ? [] : [['authorization', good]]
}

function companyHeaders(
  { companyIds }: World,
  asker: Asker,
  caller: Caller,
  fault?: Fault & { kind: 'company' },
): Headers {
  const { companyId: own } = asker
  const values = () => {
    const others = companyIds.filter((id) => id !== caller.companyId)
    const another = others[(fault?.nth ?? 0) % others.length] as string
    if (!fault) return [own]
    return {
      another: [another],
      never: [neverId(fault.nth)],
      missing: [],
      twice: [own, own],
      'two different': fault.nth % 2 === 0 ? [own, another] : [another, own],
      malformed: [`{${own}}`],
      'upper case': [own.toUpperCase()],
      empty: [''],
    }[fault.how]
  }
  return values().map((value) => ['x-company-id', value])
}
