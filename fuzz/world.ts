import { startTestApp, type TestApp } from '../test/support/app.ts'
import { startDnsServer } from '../test/support/dns-server.ts'
import { type Caller, isPerson, renewTokens } from './callers.ts'
import { Canaries } from './canaries.ts'
import { type DatabaseState, openStateReader } from './database-state.ts'
import { ApiDocument } from './document.ts'
import { createFixtures } from './fixtures.ts'
import type { HttpAnswer } from './http-client.ts'
import type { Passkeys } from './passkeys.ts'
import { tokenInCookie } from './session-cookies.ts'
import { takeSnapshot } from './snapshot.ts'

/** The service under test, with the same companies and people at the start of every batch. */
export interface World {
  service: TestApp
  document: ApiDocument
  canaries: Canaries
  callers: Caller[]
  companyIds: string[]
  linkTokens: string[]
  /** Of links that companies hand out. */
  joinTokens: string[]
  challenges: string[]
  recoveryCodes: string[]
  passkeys: Passkeys
  /** By account: the token of an invitation to it. */
  ownTokens: Map<string, string>
  /** By account: the id of that invitation. */
  ownInvitations: Map<string, string>
  /** By company: the names of its custom roles. */
  ownRoleNames: Map<string, string[]>
  readState(): Promise<DatabaseState>
  /** Values from answers for later requests, the newest last. */
  cursors: string[]
  etags: string[]
  state: DatabaseState
  /** All memberships that existed during this batch, as "company account". */
  everMembers: Set<string>
  /** Must not occur in the log. */
  secrets: Set<string>
  /** Every batch starts with the present contents from here on. */
  saveAsStart(): Promise<void>
  /** Starts a batch. */
  restore(): Promise<void>
  close(): Promise<void>
}

export async function buildWorld(): Promise<World> {
  const dns = await startDnsServer(async (name) => ({ txt: await recordsOf(service, name) }))
  const service: TestApp = await startTestApp({ DNS_SERVERS: dns.address })
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
      while (await service.mailbox.collect());
      restoreSnapshot = await takeSnapshot(service.db)
    },
    async restore() {
      await restoreSnapshot()
      await startBatch(world)
    },
    async close() {
      await service.close()
      await dns.close()
    },
  }
  await startBatch(world)
  return world
}

/** Every company has published what its domains need. */
async function recordsOf({ db }: TestApp, record: string): Promise<string[]> {
  const rows = await db.query<{ value: string }>(
    `select 'tenantry-domain=' || token as value from company_domains where '_tenantry.' || name = $1`,
    [record],
  )
  return rows.map(({ value }) => value)
}

async function namesOfOwnRoles({ db }: TestApp): Promise<Map<string, string[]>> {
  const rows = await db.query<{ company_id: string; names: string[] }>(`
    select company_id, array_agg(name order by name) as names from roles where system_key is null group by company_id`)
  return new Map(rows.map(({ company_id, names }) => [company_id, names]))
}

/** Passwords that requests contain. */
const TYPED = ['Another-horse-8', 'Third-horse-99', 'Wrong-horse-7']

async function startBatch(world: World): Promise<void> {
  await renewTokens(world.service, world.callers)
  world.cursors = []
  world.etags = []
  world.passkeys.startBatch()
  world.everMembers = new Set()
  world.secrets = new Set([...world.linkTokens, ...world.challenges, ...world.recoveryCodes, ...TYPED])
  for (const { challenge } of world.passkeys.answers.values()) world.secrets.add(challenge)
  for (const secret of world.callers.flatMap(({ apps = [] }) => apps)) world.secrets.add(secret)
  for (const { password, accessToken, refreshToken, accountId } of world.callers)
    if (accountId) for (const secret of [password, accessToken, refreshToken]) world.secrets.add(secret)
  world.service.logged.length = 0
  world.service.mailbox.forget()
  await refreshState(world)
}

/** Reads the database state again. */
export async function refreshState(world: World): Promise<void> {
  world.state = await world.readState()
  for (const name of world.state.memberships.keys()) world.everMembers.add(name)
}

const HARVEST_MAX = 20

/** Collects values from an answer for later requests. */
export function collectValues(world: World, { caller }: { caller: Caller }, { headers, text }: HttpAnswer): void {
  const body = parsed(text)
  const { nextCursor, data } = (body ?? {}) as { nextCursor?: unknown; data?: Record<string, unknown> }
  world.passkeys.answer(body, caller)
  if (typeof nextCursor === 'string') world.cursors.push(nextCursor)
  world.etags.push(...(headers.get('etag') ?? []))
  for (const list of [world.cursors, world.etags]) list.splice(0, list.length - HARVEST_MAX)
  const { accessToken, refreshToken = tokenInCookie(headers), temporaryPassword, recoveryCodes = [] } = data ?? {}
  for (const secret of [accessToken, refreshToken, temporaryPassword, data?.secret, recoveryCodes].flat())
    if (typeof secret === 'string') world.secrets.add(secret)
  if (typeof accessToken === 'string' && typeof refreshToken === 'string')
    updateTokens(world, { accessToken, refreshToken })
}

/** Gives new tokens to the caller whose session they belong to. */
function updateTokens({ callers }: World, tokens: { accessToken: string; refreshToken: string }): void {
  const { sub, sid } = claimsOf(tokens.accessToken)
  const person = callers.find((caller) => isPerson(caller) && caller.accountId === sub && caller.sessionId === sid)
  if (person) Object.assign(person, tokens)
}

/** Undefined for text that is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The claims of a token, without a check of its signature; empty for other text. */
export function claimsOf(token: string): { sub?: string; sid?: string } {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) ?? {}
  } catch {
    return {}
  }
}
