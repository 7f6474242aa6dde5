import { startTestApp, type TestApp } from '../test/support/app.ts'
import { type Caller, isPerson, renewTokens } from './callers.ts'
import { Canaries } from './canaries.ts'
import { type DatabaseState, openStateReader } from './database-state.ts'
import { ApiDocument } from './document.ts'
import { createFixtures } from './fixtures.ts'
import { takeSnapshot } from './snapshot.ts'

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
  readState(): Promise<DatabaseState>
  /** What answers gave to be sent back: the newest last. */
  cursors: string[]
  etags: string[]
  state: DatabaseState
  /** Who was ever a member of a company in this batch, as "company account". */
  everMembers: Set<string>
  /** Must not be found in the log. */
  secrets: Set<string>
  /** From here on every batch begins with what is there now. */
  saveAsStart(): Promise<void>
  /** Begins a batch. */
  restore(): Promise<void>
  close(): Promise<void>
}

export async function buildWorld(): Promise<World> {
  const service = await startTestApp()
  const canaries = new Canaries()
  const fixtures = await createFixtures(service, canaries)
  const readState = await openStateReader(service.db)
  let restoreSnapshot = async () => {}
  const world: World = {
    service,
    document: new ApiDocument(service.document),
    canaries,
    ...fixtures,
    ownRoleNames: await namesOfOwnRoles(service),
    readState,
    cursors: [],
    etags: [],
    state: await readState(),
    everMembers: new Set(),
    secrets: new Set(),
    async saveAsStart() {
      while (await service.postbox.collect());
      restoreSnapshot = await takeSnapshot(service.db)
    },
    async restore() {
      await restoreSnapshot()
      await startBatch(world)
    },
    close: () => service.close(),
  }
  await startBatch(world)
  return world
}

async function namesOfOwnRoles({ db }: TestApp): Promise<Map<string, string[]>> {
  const rows = await db.query<{ company_id: string; names: string[] }>(`
    select company_id, array_agg(name order by name) as names from roles where system_key is null group by company_id`)
  return new Map(rows.map(({ company_id, names }) => [company_id, names]))
}

/** Passwords that requests carry. */
const TYPED = ['Another-horse-8', 'Third-horse-99', 'Wrong-horse-7']

async function startBatch(world: World): Promise<void> {
  await renewTokens(world.service, world.callers)
  world.cursors = []
  world.etags = []
  world.everMembers = new Set()
  world.secrets = new Set([...world.linkTokens, ...TYPED])
  for (const { password, accessToken, refreshToken, accountId } of world.callers)
    if (accountId) for (const secret of [password, accessToken, refreshToken]) world.secrets.add(secret)
  world.service.logged.length = 0
  world.service.postbox.forget()
  await refreshState(world)
}

/** Reads the truth anew. */
export async function refreshState(world: World): Promise<void> {
  world.state = await world.readState()
  for (const name of world.state.memberships.keys()) world.everMembers.add(name)
}

const HARVEST_MAX = 20

/** Takes from an answer what later requests can send back. */
export function collectValues(world: World, headers: Map<string, string[]>, body: unknown): void {
  const { nextCursor, data } = (body ?? {}) as { nextCursor?: unknown; data?: Record<string, unknown> }
  if (typeof nextCursor === 'string') world.cursors.push(nextCursor)
  world.etags.push(...(headers.get('etag') ?? []))
  for (const list of [world.cursors, world.etags]) list.splice(0, list.length - HARVEST_MAX)
  const { accessToken, refreshToken, temporaryPassword } = data ?? {}
  for (const secret of [accessToken, refreshToken, temporaryPassword])
    if (typeof secret === 'string') world.secrets.add(secret)
  if (typeof accessToken === 'string' && typeof refreshToken === 'string')
    updateTokens(world, { accessToken, refreshToken })
}

/** Whoever the new tokens are for goes on with them. */
function updateTokens({ callers }: World, tokens: { accessToken: string; refreshToken: string }): void {
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
