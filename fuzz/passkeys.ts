import type { PasskeyCreationOptions } from '../src/features/accounts/passkeys/schemas.ts'
import type { PasskeyRequestOptions } from '../src/lib/passkey-requests.ts'
import { Authenticator } from '../test/support/authenticator.ts'
import type { Json } from './body-mutations.ts'
import type { Caller } from './callers.ts'

/** What the service asks authenticators for, by the last word in the path of the operation that takes the answer. */
const PURPOSES = {
  login: 'passkey_sign_in',
  'second-factor': 'sign_in',
  'step-up': 'step_up',
  passkeys: 'enroll',
} as const
type Purpose = (typeof PURPOSES)[keyof typeof PURPOSES]

/** What an authenticator has signed for one challenge. It is made once, so that a plan sends the same bytes every time. */
interface PasskeyAnswer {
  purpose: Purpose
  accountId: string
  /** The session that asked; undefined for a sign-in. */
  sessionId: string | undefined
  challenge: string
  credential: Json
}

/** Answers that are kept from one batch. */
const ANSWERS_MAX = 40

/** The authenticators of accounts, and what they have signed. */
export class Passkeys {
  readonly #authenticators = new Map<string, Authenticator>()
  /** By the text that stands for it in a planned body. */
  readonly answers = new Map<string, PasskeyAnswer>()
  #atStart = 0

  add(accountId: string, authenticator: Authenticator): void {
    this.#authenticators.set(accountId, authenticator)
  }

  /** Signs what an answer of the service asks for, if it does. `caller`: the sender of the request. */
  answer(body: unknown, caller: Pick<Caller, 'accountId' | 'sessionId'>): void {
    const asked = challengeIn(body)
    if (!asked || this.answers.size >= this.#atStart + ANSWERS_MAX) return
    const { challenge, options } = asked
    const isSignIn = asked.purpose.endsWith('sign_in')
    const sessionId = isSignIn ? undefined : caller.sessionId
    const [accountId, authenticator] = this.#authenticatorFor(asked, caller) ?? []
    if (!accountId || !authenticator) return
    const credential = ('user' in options ? new Authenticator().create(options) : authenticator.get(options)) as object
    const answer = { purpose: asked.purpose, accountId, sessionId, challenge, credential: credential as Json }
    this.answers.set(`passkey answer ${this.answers.size}`, answer)
  }

  /** Anybody may ask for a sign-in; it is answered by an account that has a passkey. */
  #authenticatorFor({ purpose, options }: Asked, { accountId }: Pick<Caller, 'accountId'>) {
    if (purpose === 'step_up' || purpose === 'enroll')
      return [...this.#authenticators].find(([id]) => id === accountId) ?? newcomer(purpose, accountId)
    const allowed = 'allowCredentials' in options ? options.allowCredentials.map(({ id }) => id) : []
    const isAllowed = (authenticator: Authenticator) =>
      allowed.length === 0 || allowed.includes(authenticator.passkeys.at(-1)?.id.toString('base64url') ?? '')
    return [...this.#authenticators].find(([, authenticator]) => isAllowed(authenticator))
  }

  /** Mostly one for this purpose and this session; sometimes any other one. */
  choose(purpose: string, nth: number, { sessionId }: Pick<Caller, 'sessionId'>): string | undefined {
    const all = [...this.answers]
    const fitting = all.filter(([, answer]) => answer.purpose === purpose)
    const own = fitting.filter(([, answer]) => answer.sessionId === undefined || answer.sessionId === sessionId)
    const chosen = nth % 10 === 9 ? all : nth % 5 === 4 || own.length === 0 ? fitting : own
    return chosen[nth % chosen.length]?.[0]
  }

  /** The accounts whose passkeys, or challenges for them, a request contains. */
  accountsIn(sent: string): string[] {
    const isSent = ({ challenge, credential }: PasskeyAnswer) =>
      sent.includes(challenge) || sent.includes((credential as { id: string }).id)
    return [...this.answers.values()].filter(isSent).map(({ accountId }) => accountId)
  }

  /** Every batch starts with the present answers from here on. */
  saveAsStart(): void {
    this.#atStart = this.answers.size
  }

  startBatch(): void {
    for (const key of [...this.answers.keys()].slice(this.#atStart)) this.answers.delete(key)
  }
}

const newcomer = (purpose: Purpose, accountId: string | undefined): [string, Authenticator] | undefined =>
  purpose === 'enroll' && accountId ? [accountId, new Authenticator()] : undefined

/** The noun of a placeholder for the credential in the body of an operation. */
export const credentialFor = (noun: string): string => `credential for ${PURPOSES[noun as keyof typeof PURPOSES]}`

export const CREDENTIALS = Object.values(PURPOSES).map((purpose) => [`credential for ${purpose}`, purpose] as const)

/** Puts what an authenticator has signed into a body that names it, with the challenge that it has signed. */
export function withPasskey<Draft extends { body: Json | undefined }>({ answers }: Passkeys, draft: Draft): Draft {
  const { body } = draft
  if (typeof body !== 'object' || body === null || Array.isArray(body) || typeof body.credential !== 'string')
    return draft
  const answer = answers.get(body.credential)
  if (!answer) return draft
  return { ...draft, body: { ...body, challenge: answer.challenge, credential: answer.credential } }
}

interface Asked {
  purpose: Purpose
  challenge: string
  options: PasskeyCreationOptions | PasskeyRequestOptions
}

function challengeIn(body: unknown): Asked | undefined {
  const { data, challenge: refused } = (body ?? {}) as {
    data?: Partial<Asked>
    challenge?: { token?: string; passkeyOptions?: PasskeyRequestOptions }
  }
  if (refused?.token && refused.passkeyOptions)
    return { purpose: 'sign_in', challenge: refused.token, options: refused.passkeyOptions }
  if (typeof data?.challenge !== 'string' || !data.options) return undefined
  return { purpose: purposeOf(data.options), challenge: data.challenge, options: data.options }
}

function purposeOf(options: Asked['options']): Purpose {
  if ('user' in options) return 'enroll'
  return options.allowCredentials.length === 0 ? 'passkey_sign_in' : 'step_up'
}
