import { startTestApp, type TestApp } from '../test/support/app.ts'
import { type Caller, freshen, isPerson } from './callers.ts'
import { Canaries } from './canaries.ts'
import { assemble } from './cast.ts'
import { ApiDocument } from './document.ts'
import { keep } from './snapshot.ts'
import { openTruth, type Truth } from './truth.ts'

/** The service under test, with companies and people in it that are the same at the start of every batch. */
export interface World {
  service: TestApp
  document: ApiDocument
  canaries: Canaries
  callers: Caller[]
  companyIds: string[]
  linkTokens: string[]
  /** By company: what its own roles are called. */
  ownRoleNames: Map<string, string[]>
  readTruth(): Promise<Truth>
  /** What answers gave to be sent back: the newest last. */
  cursors: string[]
  etags: string[]
  truth: Truth
  /** Who was ever a member of a company in this batch, as "company account". */
  everMembers: Set<string>
  /** Must not be found in the log. */
  secrets: Set<string>
  /** From here on every batch begins with what is there now. */
  settle(): Promise<void>
  /** Begins a batch. */
  restore(): Promise<void>
  close(): Promise<void>
}

export async function buildWorld(): Promise<World> {
  const service = await startTestApp()
  const canaries = new Canaries()
  const cast = await assemble(service, canaries)
  const readTruth = await openTruth(service.db)
  let bringBack = async () => {}
  const world: World = {
    service,
    document: new ApiDocument(service.document),
    canaries,
    ...cast,
    ownRoleNames: await namesOfOwnRoles(service),
    readTruth,
    cursors: [],
    etags: [],
    truth: await readTruth(),
    everMembers: new Set(),
    secrets: new Set(),
    async settle() {
      while (await service.mailbox.collect());
      bringBack = await keep(service.db)
    },
    async restore() {
      await bringBack()
      await begin(world)
    },
    close: () => service.close(),
  }
  await begin(world)
  return world
}

async function namesOfOwnRoles({ db }: TestApp): Promise<Map<string, string[]>> {
  const rows = await db.query<{ company_id: string; names: string[] }>(`
    select company_id, array_agg(name order by name) as names from roles where system_key is null group by company_id`)
  return new Map(rows.map(({ company_id, names }) => [company_id, names]))
}

/** Passwords that requests carry. */
const TYPED = ['Another-horse-8', 'Third-horse-99', 'Wrong-horse-7']

async function begin(world: World): Promise<void> {
  await freshen(world.service, world.callers)
  world.cursors = []
  world.etags = []
  world.everMembers = new Set()
  world.secrets = new Set([...world.linkTokens, ...TYPED])
  for (const { password, accessToken, refreshToken, accountId } of world.callers)
    if (accountId) for (const secret of [password, accessToken, refreshToken]) world.secrets.add(secret)
  world.service.logged.length = 0
  world.service.mailbox.forget()
  await look(world)
}

/** Reads the truth anew. */
export async function look(world: World): Promise<void> {
  world.truth = await world.readTruth()
  for (const name of world.truth.memberships.keys()) world.everMembers.add(name)
}

const HARVEST_MAX = 20

/** Takes from an answer what later requests can send back. */
export function harvest(world: World, headers: Map<string, string[]>, body: unknown): void {
  const { nextCursor, data } = (body ?? {}) as { nextCursor?: unknown; data?: Record<string, unknown> }
  if (typeof nextCursor === 'string') world.cursors.push(nextCursor)
  world.etags.push(...(headers.get('etag') ?? []))
  for (const list of [world.cursors, world.etags]) list.splice(0, list.length - HARVEST_MAX)
  const { accessToken, refreshToken, temporaryPassword } = data ?? {}
  for (const secret of [accessToken, refreshToken, temporaryPassword])
    if (typeof secret === 'string') world.secrets.add(secret)
  if (typeof accessToken === 'string' && typeof refreshToken === 'string') hand(world, { accessToken, refreshToken })
}

/** Whoever the new tokens are for goes on with them. */
function hand({ callers }: World, tokens: { accessToken: string; refreshToken: string }): void {
  const { sub, sid } = claimsOf(tokens.accessToken)
  const person = callers.find((caller) => isPerson(caller) && caller.accountId === sub && caller.sessionId === sid)
  if (person) Object.assign(person, tokens)
}

/** Undefined: it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a token says, whoever signed it; nothing of what is no token. */
export function claimsOf(token: string): { sub?: string; sid?: string } {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) ?? {}
  } catch {
    return {}
  }
}
