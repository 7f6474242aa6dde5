import { isUuid } from '../src/lib/ids.ts'
import type { Caller } from './callers.ts'
import { companyInPath, type Operation } from './document.ts'
import { type Fault, spoil } from './faults.ts'
import { headersFor } from './headers.ts'
import { changeBody, type Json } from './mutations.ts'
import { type Asker, foreignTo, neverId, resolvePick } from './picks.ts'
import type { Plan } from './plans.ts'
import { mayDo } from './rights.ts'
import type { Truth } from './truth.ts'
import { Pick, type Planned } from './values.ts'
import type { WireRequest } from './wire.ts'
import type { World } from './world.ts'

/** A request as it is sent, with what it is judged by. */
export interface Request extends WireRequest {
  /** What it came to; undefined: no operation that is documented. */
  operation: Operation | undefined
  /** Whose good token it carries. */
  caller: Caller
  /** The one company that the header names, or the path where there is no header. */
  companyId: string | undefined
  /** The entity tag that the resource had right before. */
  tag?: string
}

/** What is put together before it becomes bytes. */
interface Draft {
  method: string
  params: Record<string, string>
  query: [name: string, text: string][]
  headers: [name: string, value: string][]
  body: Json | undefined
}

export function requestFrom(world: World, plan: Plan): Request {
  const asker = askerOf(world, plan)
  const caller = senderOf(world, plan, asker.caller)
  const draft = draftOf(world, plan, asker)
  for (const fault of plan.faults) applyToAddress(draft, fault)
  const body = bodyOf(draft, plan.faults)
  const path = pathOf(plan, draft)
  const headers = headersFor(world, plan, { caller, asker, own: draft.headers, hasBody: body !== undefined })
  const method = draft.method
  const operation = world.document.operationAt(method, path)
  const companyId = operation?.inCompany ? companyInHeader(headers) : companyInPath(path)
  return { method, path, headers, body, operation, caller, companyId }
}

function companyInHeader(headers: WireRequest['headers']): string | undefined {
  const named = headers.filter(([name]) => name === 'x-company-id').map(([, value]) => value.toLowerCase())
  return named.length === 1 && isUuid(named[0] as string) ? named[0] : undefined
}

/** Somebody who may do this, in the company where they may. */
function askerOf({ callers, truth }: World, { operation, caller: nth }: Plan): Asker {
  if (typeof nth === 'string') {
    const caller = callers.find(({ name }) => name === nth) as Caller
    return { caller, companyId: caller.companyId, inBody: false }
  }
  const may = callers.filter((caller) => mayAsk(caller, operation, truth))
  const few = may.filter(({ trait }) => trait !== undefined && trait === TRAITS[operation.id])
  const chosen = few.length > 0 ? few : may
  const caller = (chosen[nth % chosen.length] ?? callers[0]) as Caller
  return { caller, companyId: caller.companyId, inBody: false }
}

/** What only some people can do, because of the state that they are in. */
const TRAITS: Record<string, Caller['trait']> = {
  changeTemporaryPassword: 'temporary password',
  resendEmailChange: 'pending address',
  cancelEmailChange: 'pending address',
  restoreCompany: 'closed company',
}

function mayAsk({ standing, accountId, companyId, trait }: Caller, operation: Operation, truth: Truth): boolean {
  if (!operation.secured) return standing === 'none'
  if (standing !== 'good' || (trait === 'temporary password' && TRAITS[operation.id] !== trait)) return false
  return mayDo(operation, truth, companyId, accountId)
}

function senderOf({ callers }: World, { faults }: Plan, asker: Caller): Caller {
  const fault = faults.find(({ kind }) => kind === 'caller') as (Fault & { kind: 'caller' }) | undefined
  return fault ? (callers[fault.nth % callers.length] as Caller) : asker
}

function draftOf(world: World, plan: Plan, asker: Asker): Draft {
  const spoiled = spoiledIds(world, plan, asker)
  const fill = (part: Planned, inBody = false): Json | undefined => {
    if (part instanceof Pick) return spoiled.get(part) ?? resolvePick(world, part, { ...asker, inBody })
    if (Array.isArray(part)) return part.map((item) => fill(item, inBody)).filter((item) => item !== undefined)
    if (part === null || typeof part !== 'object') return part
    const entries = Object.entries(part).map(([key, value]) => [key, fill(value, inBody)] as const)
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Json
  }
  const textsOf = (parts: Record<string, Planned>) =>
    Object.entries(parts).flatMap(([name, part]) => {
      const value = fill(part)
      return value === undefined ? [] : [[name, String(value)] as [string, string]]
    })
  const encode = ([name, text]: [string, string]): [string, string] => [name, encoded(text)]
  return {
    method: plan.operation.method,
    params: Object.fromEntries(textsOf(plan.params).map(encode)),
    query: textsOf(plan.query).map(encode),
    headers: textsOf(plan.headers).filter(([name]) => name.toLowerCase() !== 'x-company-id'),
    body: plan.body === undefined ? undefined : fill(plan.body, true),
  }
}

/** Halves of surrogate pairs have no encoding; what stands for them is sent instead. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

function spoiledIds(world: World, plan: Plan, asker: Asker): Map<Pick, string> {
  const picks = [...picksIn([plan.params, plan.query, plan.body ?? null])]
  const spoiled = new Map<Pick, string>()
  for (const fault of plan.faults) {
    const pick = fault.kind === 'id' ? picks[fault.at % picks.length] : undefined
    if (!pick || fault.kind !== 'id') continue
    const good = resolvePick(world, pick, asker) ?? ''
    spoiled.set(pick, spoil(good, fault, foreignTo(world, pick, asker), neverId(fault.nth)))
  }
  return spoiled
}

function* picksIn(part: Planned): Generator<Pick> {
  if (part instanceof Pick) yield part
  else if (part !== null && typeof part === 'object') for (const inner of Object.values(part)) yield* picksIn(inner)
}

function applyToAddress(draft: Draft, fault: Fault): void {
  if (fault.kind === 'method') draft.method = fault.method
  if (fault.kind === 'address') {
    const names = Object.keys(draft.params)
    if (names.length > 0) draft.params[names[fault.at % names.length] as string] = fault.text
  }
  if (fault.kind !== 'query') return
  const place = draft.query[fault.at % Math.max(1, draft.query.length)] ?? ['limit', '1']
  const name = place[0]
  const text = encoded(fault.text)
  if (fault.how === 'replaced') draft.query = draft.query.map((each) => (each === place ? [name, text] : each))
  else if (fault.how === 'twice') draft.query.push([name, text], place)
  else draft.query.push([`${name}${fault.how === 'as a list' ? '[]' : '[a]'}`, text])
}

function bodyOf({ body }: Draft, faults: Fault[]): Buffer | undefined {
  const changed = faults.reduce<Json | undefined>((json, fault) => changeBody(json, fault), body)
  const text = changed === undefined ? undefined : JSON.stringify(changed)
  const raw = faults.find(({ kind }) => kind === 'body') as (Fault & { kind: 'body' }) | undefined
  if (!raw) return text === undefined ? undefined : Buffer.from(text)
  return Buffer.isBuffer(raw.text) ? raw.text : Buffer.from(raw.text.replaceAll('%s', () => text ?? '{}'))
}

function pathOf({ operation, faults }: Plan, { params, query }: Draft): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name) => params[name] ?? '')
  const asked = query.map(([name, text]) => `${name}=${text}`).join('&')
  const fault = faults.find(({ kind }) => kind === 'path') as (Fault & { kind: 'path' }) | undefined
  return `${fault ? SPELLINGS[fault.how](path) : path}${asked ? `?${asked}` : ''}`
}

const SPELLINGS: Record<(Fault & { kind: 'path' })['how'], (path: string) => string> = {
  'slash at the end': (path) => `${path}/`,
  'slash twice': (path) => path.replace('/api/', '/api//'),
  'upper case': (path) => path.toUpperCase(),
  'encoded letter': (path) => path.replace('/api', '/%61pi'),
  dot: (path) => path.replace('/api/', '/api/./'),
  fragment: (path) => `${path}#x`,
}
