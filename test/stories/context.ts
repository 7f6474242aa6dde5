import type { Message } from '../../src/features/mail/templates/render-message.ts'
import type { Answer } from '../support/client.ts'
import type { Model } from './model.ts'
import { mailboxOwner, type Person } from './people.ts'
import type { Real } from './real.ts'
import type { Account, Company, Factor, SecretEmail, Session, StoredRequest } from './state.ts'

/** The service differs from the model. */
export class RuleViolation extends Error {
  readonly rule: string
  readonly steps: string[]
  constructor(rule: string, about: string, steps: string[] = []) {
    super(about)
    this.rule = rule
    this.steps = steps
  }
}

export interface RequestOptions {
  body?: unknown
  session?: Session | undefined
  company?: Company | undefined
  key?: string | undefined
}

/** The model and the service of one story. */
export class StoryContext {
  readonly model: Model
  readonly real: Real
  /** Secrets that were emailed during this step. */
  fresh: SecretEmail[] = []

  constructor(model: Model, real: Real) {
    this.model = model
    this.real = real
  }

  async send(method: string, path: string, { body, session, company, key }: RequestOptions = {}): Promise<Answer> {
    const isStale = session && isDangerous(method, path) && !this.model.isFresh(session)
    const answer = await this.sendAs(method, path, body, session?.accessTokens.at(-1), company?.id, key)
    if (isStale && answer.status < 300)
      throw new RuleViolation('what is dangerous needs a recent proof of the second factor', `${method} ${path}`)
    return answer
  }

  async sendAs(method: string, path: string, body: unknown, token?: string, company?: string, key?: string) {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
    const answer = await this.real.service.client.send(method, path, body, { token, company, headers })
    if (answer.status === 500) throw new RuleViolation('no server error', `${method} ${path}`)
    return answer
  }

  /** The secrets that were emailed to this account; a new link replaces the older one of its purpose. */
  async secretsFor(account: Account): Promise<SecretEmail[]> {
    const { model } = this
    const found = (await this.real.newEmails()).flatMap((message) => secretIn(message, account))
    for (const { kind, to, purpose, secret } of found) {
      model.emailed.push({ kind, to, at: model.now })
      if (purpose === 'undo_email_change') {
        const { reservesFormerAddress: isReserved } = account
        account.undos.push({ token: secret, email: to, since: model.now, changedAt: model.next(), isReserved })
      } else if (purpose === 'undo_factor_change') {
        account.factorUndos.push({ token: secret, email: to, since: model.now, changedAt: model.lastFactorChange })
      } else if (purpose) account.links[purpose] = { token: secret, since: model.now }
      else model.learn(mailboxOwner(to), account, secret)
    }
    model.emails.push(...found)
    this.fresh.push(...found)
    return found
  }

  /** What an email of this kind to an address carries; undefined: none has arrived during this step. */
  async findInEmail(kind: string, to: string, pattern: RegExp): Promise<string | undefined> {
    this.model.emailed.push({ kind, to, at: this.model.now })
    const message = (await this.real.newEmails()).findLast((each) => each.kind === kind && each.to.address === to)
    const found = message && pattern.exec(message.text)
    return found?.[1] ?? found?.[0]
  }

  /** As if the seconds had passed in which a write may still be under way that began before the account was recovered. */
  async finishRecovery({ id }: Account): Promise<void> {
    const settled = `update accounts set recovered_at = recovered_at - interval '10 seconds' where id = $1`
    await this.real.service.db.query(settled, [id])
  }

  storeRequest(
    person: Person,
    stored: Pick<StoredRequest, 'what' | 'text' | 'path' | 'key'> & Partial<StoredRequest>,
  ): void {
    const { now } = this.model
    const nothing = { token: undefined, company: undefined, session: undefined, account: undefined, body: undefined }
    const version = stored.account?.version ?? 0
    const rest = { method: 'POST', refreshToken: undefined, by: person.name, at: now, version }
    this.model.storedRequests.push({ ...nothing, ...rest, ...stored })
  }
}

const purposes: Record<string, SecretEmail['purpose']> = {
  confirm_email: 'confirm_email',
  change_email: 'change_email',
  reset_password: 'reset_password',
  email_restored: 'reset_password',
  factor_change_undone: 'reset_password',
  second_factor_added: 'undo_factor_change',
  second_factor_removed: 'undo_factor_change',
  email_changed: 'undo_email_change',
}

function secretIn({ kind, to, text }: Message, account: Account): SecretEmail[] {
  const purpose = purposes[kind]
  const isPassword = kind === 'temporary_password' || kind === 'password_reset'
  const secret = purpose ? /[?&]token=([\w-]+)/.exec(text)?.[1] : isPassword ? /^\w{16}$/m.exec(text)?.[0] : undefined
  return secret ? [{ kind, to: to.address, secret, account, purpose }] : []
}

/** What a stolen token of an account with a second factor must not do, of all that stories do. */
const DANGEROUS = [
  /^POST \/auth\/change-/,
  /^PUT \/auth\/profile$/,
  /^(POST|DELETE) \/auth\/factors\//,
  /^DELETE \/companies\/[^/]+$/,
  /^PATCH \/companies\/policy$/,
  /\/ownership-transfer/,
  /\/reset-(password|password-email|second-factor)$/,
]
const isDangerous = (method: string, path: string) => DANGEROUS.some((each) => each.test(`${method} ${path}`))

export const claimsOf = (token: string): { sid: string; sub: string } =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())

/** Adds the session of an answer with tokens to the model. */
export function beginSession(
  model: Model,
  account: Account,
  holder: Person,
  data: { accessToken: string; refreshToken: string },
  { why, mustChange, factor }: { why: string; mustChange: boolean; factor?: Factor | 'recovery code' },
): Session {
  if (account.factors.length > 0 && !factor)
    throw new RuleViolation('no session before the second factor', `${holder.name} in ${account.name} ${why}`)
  const { accessToken, refreshToken } = data
  const session: Session = {
    id: claimsOf(accessToken).sid,
    account,
    holder,
    why,
    hasEnded: false,
    mustChange,
    since: model.now,
    provedAt: model.now,
    factorProvedAt: factor && model.now,
    provedFactors: factor ? [factor] : [],
    provedEmails: {},
    exchangedAt: model.now,
    accessTokens: [accessToken],
    refreshToken,
    spent: [],
  }
  model.sessions.push(session)
  return session
}
