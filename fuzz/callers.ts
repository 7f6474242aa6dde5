import { randomBytes } from 'node:crypto'
import { createTokenPair } from '../src/features/accounts/tokens.ts'
import { newId } from '../src/lib/ids.ts'
import { signToken } from '../src/lib/tokens.ts'
import type { TestApp } from '../test/support/app.ts'

/** Whether a caller sends valid, invalid or no credentials. */
export type Credentials = 'valid' | 'none' | 'invalid'

/** A sender of requests. */
export interface Caller {
  name: string
  credentials: Credentials
  accountId: string | undefined
  sessionId: string | undefined
  /** The company that its requests name by default. */
  companyId: string
  password: string
  /** Makes this caller preferred for the operations that need it. */
  trait?:
    | 'temporary password'
    | 'pending address'
    | 'deleted company'
    | 'suspended company'
    | 'disabled account'
    | 'asked to join'
    | 'can join'
    | 'is asked'
    | 'second factor'
    | 'passkey'
    | 'pending second factor'
    | 'shut out'
  /** The secrets of its authenticator apps: one that counts, and one that waits for its confirmation. */
  apps?: readonly string[]
  /** New for each batch. */
  accessToken: string
  refreshToken: string
}

/** A caller whose tokens come from a session's row. */
export type Person = Caller & { accountId: string; sessionId: string }

export const isPerson = (caller: Caller): caller is Person => caller.sessionId !== undefined

/** Extends all sessions and links, and gives every caller new tokens. */
export async function renewTokens({ db, keys }: TestApp, callers: Caller[]): Promise<void> {
  await db.query(`
    update sessions set authenticated_at = now(), rotated_at = date_trunc('second', now()), refresh_expires_at = now() + interval '7 days',
      expires_at = now() + interval '30 days';
    update one_time_links set expires_at = now() + interval '1 day';
    update sessions set authenticated_at = now(), second_factor_at = second_factor_at + (now() - second_factor_at);
    update challenges set expires_at = now() + interval '1 day', attempts = 0;
    update second_factors set created_at = now(), last_step = 0`)
  const rows = await db.query<Parameters<typeof createTokenPair>[1]>(
    `select id, account_id, refresh_id, to_json(rotated_at) #>> '{}' as rotated_at,
      to_json(refresh_expires_at) #>> '{}' as refresh_expires_at from sessions`,
  )
  const sources = new Map(rows.map((row) => [row.id, row]))
  for (const person of callers.filter(isPerson)) {
    const source = sources.get(person.sessionId)
    if (source) Object.assign(person, createTokenPair(keys, source))
  }
  const sample = callers.find(isPerson) as Person
  // The tokens of a disabled account are as they were made.
  for (const caller of callers.filter(({ credentials, trait }) => credentials === 'invalid' && trait === undefined))
    Object.assign(caller, { accessToken: invalidToken(caller.name, sample, keys), refreshToken: sample.refreshToken })
}

/** Callers without an account, for whom only public operations may succeed. */
export function callersWithoutAccount(companyId: string): Caller[] {
  const shared = { accountId: undefined, sessionId: undefined, companyId, password: 'Anonymous-horse-7' }
  const names = ['refresh token as access token', 'expired', 'no such session', "another's session", 'garbage']
  const bad = names.map((name) => ({
    ...shared,
    name,
    credentials: 'invalid' as const,
    accessToken: '',
    refreshToken: '',
  }))
  return [{ ...shared, name: 'anonymous', credentials: 'none', accessToken: '', refreshToken: '' }, ...bad]
}

function invalidToken(name: string, { accountId, sessionId, refreshToken }: Person, keys: TestApp['keys']): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: accountId, sid: sessionId, jti: newId(), iat: now, exp: now + 900 }
  const invalidTokens: Record<string, () => string> = {
    'refresh token as access token': () => refreshToken,
    expired: () => signToken(keys, 'at+jwt', { ...claims, iat: now - 1000, exp: now - 100 }),
    'no such session': () => signToken(keys, 'at+jwt', { ...claims, sid: newId() }),
    "another's session": () => signToken(keys, 'at+jwt', { ...claims, sub: newId() }),
  }
  return invalidTokens[name]?.() ?? randomBytes(30).toString('base64url')
}
