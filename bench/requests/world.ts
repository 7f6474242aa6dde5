import { createHmac, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { newId } from '../../src/lib/ids.ts'
import { type Keys, keysFrom } from '../../src/lib/keys.ts'
import { signToken } from '../../src/lib/tokens.ts'
import type { Sizes } from '../load/sizes.ts'
import type { Postgres } from '../postgres.ts'
import { databases } from '../servers/services.ts'

export interface Person {
  id: string
  email: string
}

/** What the requests name, and how sessions are made for them. */
export interface World {
  sizes: Sizes
  /** Ids of the measured companies, from the smallest to the largest. */
  companies: readonly [string, string, string, string]
  /** They are in many companies. */
  people: readonly Person[]
  /** They are in the largest company alone. */
  ordinary: readonly Person[]
  /** Members of the medium company who hold the role Member. */
  editable: readonly string[]
  words: { rare: string; common: string; two: string; none: string }
  /** The ids of better-auth's memberships of `editable`. */
  peerMemberships: readonly string[]
  /** Sessions of these people, one for each, valid for Tenantry and the limit alike. */
  createSessions(product: 'limit' | 'tenantry', people: readonly Person[]): Promise<Session[]>
  /** Cookies of sessions of better-auth. */
  createCookies(people: readonly Person[]): Promise<string[]>
  close(): Promise<void>
}

export interface Session {
  accessToken: string
  refreshToken: string
}

const HOURS = 12

export async function openWorld(postgres: Postgres, sizes: Sizes, appSecret: string): Promise<World> {
  const clients = {
    limit: await postgres.connect(databases.limit),
    tenantry: await postgres.connect(databases.tenantry),
    betterAuth: await postgres.connect(databases.betterAuth),
  }
  const keys = keysFrom(appSecret)
  const people = await findPeople(clients.tenantry, 0, sizes.people)
  const companies = await findCompanies(clients.tenantry)
  const editable = await findEditable(clients.tenantry, companies[1])
  return {
    sizes,
    people,
    companies,
    editable,
    ordinary: await findPeople(clients.tenantry, sizes.accounts - sizes.people, sizes.people),
    words: { rare: await findRareWord(clients.tenantry, companies[3]), common: 'garcia', two: 'ma', none: 'qqqq' },
    peerMemberships: await findPeerMemberships(clients.betterAuth, companies[1], editable),
    createSessions: (product, of) => createSessions(clients[product], keys, of),
    createCookies: (of) => createCookies(clients.betterAuth, appSecret, of),
    close: async () => {
      for (const client of Object.values(clients)) await client.end()
    },
  }
}

/** Ids sort like the numbers of the plan. */
async function findPeople(client: pg.Client, after: number, count: number): Promise<Person[]> {
  const { rows } = await client.query<Person>('select id, email from accounts order by id offset $1 limit $2', [
    after,
    count,
  ])
  return rows
}

async function findCompanies(client: pg.Client): Promise<[string, string, string, string]> {
  const { rows } = await client.query<{ id: string }>('select id from companies order by id limit 4')
  return rows.map(({ id }) => id) as [string, string, string, string]
}

async function findEditable(client: pg.Client, companyId: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select account_id as id from membership_roles join roles on roles.id = role_id
     where membership_roles.company_id = $1 and system_key = 'member' order by account_id limit 500`,
    [companyId],
  )
  return rows.map(({ id }) => id)
}

/** The last word of a name. */
async function findRareWord(client: pg.Client, companyId: string): Promise<string> {
  const { rows } = await client.query<{ word: string }>(
    `select split_part(name_folded, ' ', 3) as word from memberships where company_id = $1
     order by name_folded, account_id offset 5000 limit 1`,
    [companyId],
  )
  return rows[0]?.word as string
}

async function findPeerMemberships(client: pg.Client, companyId: string, people: string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from member where "organizationId" = $1 and "userId" = any($2)`,
    [companyId, people],
  )
  return rows.map(({ id }) => id)
}

async function createSessions(client: pg.Client, keys: Keys, people: readonly Person[]): Promise<Session[]> {
  const rows = people.map(({ id }) => ({ account: id, id: newId(), refreshId: newId() }))
  await client.query(
    `insert into sessions (id, account_id, refresh_id, refresh_expires_at, expires_at, credentials_version, ip)
     select s.id, account_id, refresh_id, now() + interval '7 days', now() + interval '30 days', credentials_version,
       '127.0.0.1'
     from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as s (id, account_id, refresh_id)
     join accounts on accounts.id = s.account_id`,
    [rows.map(({ id }) => id), rows.map(({ account }) => account), rows.map(({ refreshId }) => refreshId)],
  )
  const iat = Math.floor(Date.now() / 1000)
  return rows.map(({ account, id, refreshId }) => {
    const claims = { sub: account, sid: id, iat, exp: iat + HOURS * 3600 }
    return {
      accessToken: signToken(keys, 'at+jwt', { ...claims, jti: newId() }),
      refreshToken: signToken(keys, 'rt+jwt', { ...claims, jti: refreshId }),
    }
  })
}

async function createCookies(client: pg.Client, secret: string, people: readonly Person[]): Promise<string[]> {
  const rows = people.map(({ id }) => ({ user: id, token: randomBytes(24).toString('base64url') }))
  await client.query(
    `insert into session (id, token, "userId", "expiresAt", "createdAt", "updatedAt")
     select gen_random_uuid(), token, user_id, now() + interval '7 days', now(), now()
     from unnest($1::text[], $2::text[]) as s (token, user_id)`,
    [rows.map(({ token }) => token), rows.map(({ user }) => user)],
  )
  return rows.map(({ token }) => {
    const signature = createHmac('sha256', secret).update(token).digest('base64')
    return `better-auth.session_token=${encodeURIComponent(`${token}.${signature}`)}`
  })
}
