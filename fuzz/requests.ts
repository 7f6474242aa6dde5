import { isUuid } from '../src/lib/ids.ts'
import { changeBody, type Json } from './body-mutations.ts'
import type { Caller } from './callers.ts'
import type { DatabaseState } from './database-state.ts'
import { companyInPath, type Operation } from './document.ts'
import { headersFor } from './headers.ts'
import type { HttpRequest } from './http-client.ts'
import { type Mutation, mutateId } from './mutations.ts'
import { withPasskey } from './passkeys.ts'
import { isAllowed } from './permissions.ts'
import { foreignId, type Requester, resolvePlaceholder, unusedId } from './placeholders.ts'
import type { Plan } from './plans.ts'
import { fromBrowser } from './session-cookies.ts'
import { Placeholder, type Planned } from './values.ts'
import type { World } from './world.ts'

/** A request as it is sent, with what its checks need. */
export interface Request extends HttpRequest {
  /** The operation that it reaches; undefined when none is documented. */
  operation: Operation | undefined
  /** The owner of the valid token that it carries. */
  caller: Caller
  /** The only company that the header names, or the path where there is no header. */
  companyId: string | undefined
  /** The current entity tag of the resource. */
  tag?: string
}

/** The parts of a request before they are encoded. */
interface Draft {
  method: string
  params: Record<string, string>
  query: [name: string, text: string][]
  headers: [name: string, value: string][]
  body: Json | undefined
}

export function requestFrom(world: World, plan: Plan): Request {
  const requester = askerOf(world, plan)
  const caller = callerOf(world, plan, requester.caller)
  const draft = withPasskey(world.passkeys, fromBrowser(draftOf(world, plan, requester)))
  for (const mutation of plan.mutations) applyToAddress(draft, mutation)
  const body = bodyOf(draft, plan.mutations)
  const path = pathOf(plan, draft)
  const headers = headersFor(world, plan, { caller, requester, own: draft.headers, hasBody: body !== undefined })
  const method = draft.method
  const operation = world.document.operationAt(method, path)
  const companyId = operation?.inCompany ? companyInHeader(headers) : companyInPath(path)
  return { method, path, headers, body, operation, caller, companyId }
}

function companyInHeader(headers: HttpRequest['headers']): string | undefined {
  const named = headers.filter(([name]) => name === 'x-company-id').map(([, value]) => value.toLowerCase())
  return named.length === 1 && isUuid(named[0] as string) ? named[0] : undefined
}

/** A caller who may do this, with the company in which it is allowed. */
function askerOf({ callers, state }: World, { operation, caller: nth }: Plan): Requester {
  if (typeof nth === 'string') {
    const caller = callers.find(({ name }) => name === nth) as Caller
    return { caller, companyId: caller.companyId, inBody: false }
  }
  const may = callers.filter((caller) => mayAsk(caller, operation, state))
  const few = may.filter(({ trait }) => trait !== undefined && trait === TRAITS[operation.id])
  const chosen = few.length > 0 ? few : may
  const caller = (chosen[nth % chosen.length] ?? callers[0]) as Caller
  return { caller, companyId: caller.companyId, inBody: false }
}

/** Operations that only callers with a trait can use. */
const TRAITS: Record<string, Caller['trait']> = {
  changeTemporaryPassword: 'temporary password',
  resendEmailChange: 'pending address',
  cancelEmailChange: 'pending address',
  restoreCompany: 'deleted company',
  joinCompany: 'can join',
  cancelJoinRequest: 'asked to join',
  approveJoinRequest: 'is asked',
  declineJoinRequest: 'is asked',
  confirmTotp: 'second factor',
  updateFactor: 'second factor',
  removeFactor: 'second factor',
  createRecoveryCodes: 'second factor',
  addPasskey: 'passkey',
}

function mayAsk(
  { credentials, companyId, trait, ...sender }: Caller,
  operation: Operation,
  state: DatabaseState,
): boolean {
  if (!operation.secured) return credentials === 'none'
  if (credentials !== 'valid' || (trait === 'temporary password' && TRAITS[operation.id] !== trait)) return false
  return isAllowed(operation, state, companyId, sender)
}

function callerOf({ callers }: World, { mutations }: Plan, requester: Caller): Caller {
  const mutation = mutations.find(({ kind }) => kind === 'caller') as (Mutation & { kind: 'caller' }) | undefined
  if (!mutation) return requester
  // Half of the others are of the same company, with other rights or proofs.
  const near = mutation.nth % 2 === 0 ? callers.filter(({ companyId }) => companyId === requester.companyId) : callers
  return near[(mutation.nth >> 1) % near.length] as Caller
}

function draftOf(world: World, plan: Plan, requester: Requester): Draft {
  const spoiled = spoiledIds(world, plan, requester)
  const fill = (part: Planned, inBody = false): Json | undefined => {
    if (part instanceof Placeholder)
      return spoiled.get(part) ?? resolvePlaceholder(world, part, { ...requester, inBody })
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

/** Lone surrogates cannot be encoded; their replacement character is sent. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

function spoiledIds(world: World, plan: Plan, requester: Requester): Map<Placeholder, string> {
  const picks = [...picksIn([plan.params, plan.query, plan.body ?? null])]
  const spoiled = new Map<Placeholder, string>()
  for (const mutation of plan.mutations) {
    const placeholder = mutation.kind === 'id' ? picks[mutation.at % picks.length] : undefined
    if (!placeholder || mutation.kind !== 'id') continue
    const good = resolvePlaceholder(world, placeholder, requester) ?? ''
    spoiled.set(placeholder, mutateId(good, mutation, foreignId(world, placeholder, requester), unusedId(mutation.nth)))
  }
  return spoiled
}

function* picksIn(part: Planned): Generator<Placeholder> {
  if (part instanceof Placeholder) yield part
  else if (part !== null && typeof part === 'object') for (const inner of Object.values(part)) yield* picksIn(inner)
}

function applyToAddress(draft: Draft, mutation: Mutation): void {
  if (mutation.kind === 'method') draft.method = mutation.method
  if (mutation.kind === 'address') {
    const names = Object.keys(draft.params)
    if (names.length > 0) draft.params[names[mutation.at % names.length] as string] = mutation.text
  }
  if (mutation.kind !== 'query') return
  const place = draft.query[mutation.at % Math.max(1, draft.query.length)] ?? ['limit', '1']
  const name = place[0]
  const text = encoded(mutation.text)
  if (mutation.how === 'replaced') draft.query = draft.query.map((each) => (each === place ? [name, text] : each))
  else if (mutation.how === 'twice') draft.query.push([name, text], place)
  else draft.query.push([`${name}${mutation.how === 'as a list' ? '[]' : '[a]'}`, text])
}

function bodyOf({ body }: Draft, mutations: Mutation[]): Buffer | undefined {
  const changed = mutations.reduce<Json | undefined>((json, mutation) => changeBody(json, mutation), body)
  const text = changed === undefined ? undefined : JSON.stringify(changed)
  const raw = mutations.find(({ kind }) => kind === 'body') as (Mutation & { kind: 'body' }) | undefined
  if (!raw) return text === undefined ? undefined : Buffer.from(text)
  return Buffer.isBuffer(raw.text) ? raw.text : Buffer.from(raw.text.replaceAll('%s', () => text ?? '{}'))
}

function pathOf({ operation, mutations }: Plan, { params, query }: Draft): string {
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name) => params[name] ?? '')
  const asked = query.map(([name, text]) => `${name}=${text}`).join('&')
  const mutation = mutations.find(({ kind }) => kind === 'path') as (Mutation & { kind: 'path' }) | undefined
  return `${mutation ? SPELLINGS[mutation.how](path) : path}${asked ? `?${asked}` : ''}`
}

const SPELLINGS: Record<(Mutation & { kind: 'path' })['how'], (path: string) => string> = {
  'slash at the end': (path) => `${path}/`,
  'slash twice': (path) => path.replace('/api/', '/api//'),
  'upper case': (path) => path.toUpperCase(),
  'encoded character': (path) => path.replace('/api', '/%61pi'),
  dot: (path) => path.replace('/api/', '/api/./'),
  fragment: (path) => `${path}#x`,
}
