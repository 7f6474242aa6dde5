import { beginSession, RuleViolation, type StoryContext } from '../context.ts'
import { allAddresses, type Person, people } from '../people.ts'
import { type Account, type Company, type Factor, ROLES, type Role, type Session } from '../state.ts'
import { type Action, type Choices, outcome, type Step } from '../steps.ts'
import { answerFor, assertProof, bodyFor } from './factors.ts'
import { assertNotReserved } from './secrets.ts'

const ACCOUNTS_MAX = 6
const COMPANIES_MAX = 5

/** Also registers addresses of other people. */
export const register: Action = (model, choices) => {
  const person = choices.of(people) as Person
  const free = allAddresses.filter((address) => !model.accounts.some(({ email }) => email === address))
  const strange = free.filter((address) => !person.addresses.includes(address))
  const email = choices.of(choices.oneIn(2) && strange.length > 0 ? strange : free)
  if (!email || model.accounts.length >= ACCOUNTS_MAX || model.companies.length >= COMPANIES_MAX) return undefined
  return registration(person, email, choices.oneIn(2))
}

export const registration = (person: Person, email: string, withKey: boolean): Step => ({
  text: `${person.name} registers ${email}${withKey ? ' with a key' : ''}`,
  async run(context) {
    const { model } = context
    const password = model.newPassword(person)
    const companyName = `${person.name} ${model.next()}`
    const body = { email, password, name: person.name, companyName, taxId: '1' }
    const key = withKey ? model.newKey() : undefined
    const answer = await context.send('POST', '/auth/register', { body, key })
    if (answer.status !== 201) return outcome(answer)
    assertNotReserved(model, email)
    const { account, session } = await learnRegistration(context, person, body, answer.body.data)
    const { refreshToken } = session
    if (key) {
      const text = `the registration of ${email} by ${person.name}`
      context.storeRequest(person, {
        what: 'registration',
        text,
        path: '/auth/register',
        body,
        key,
        session,
        account,
        refreshToken,
      })
    }
    return outcome(answer)
  },
})

// biome-ignore lint/suspicious/noExplicitAny: an answer, as a client sees it.
async function learnRegistration(context: StoryContext, person: Person, { email, password }: any, data: any) {
  const { model } = context
  const why = `chosen by ${person.name}`
  const account = newAccount(data.user.id, email)
  account.chosen = { text: password, why, since: model.now }
  model.accounts.push(account)
  model.learn(person, account, password)
  const session = beginSession(model, account, person, data, { why: 'registered', mustChange: false })
  await learnCompany(context, session, data.tenants[0])
  await context.secretsFor(account)
  return { account, session }
}

export const newAccount = (id: string, email: string): Account => ({
  name: email,
  id,
  email,
  pendingEmail: undefined,
  isVerified: false,
  isPasswordShown: false,
  chosen: undefined,
  temporary: undefined,
  second: undefined,
  links: {},
  undos: [],
  factors: [],
  recoveryCodes: undefined,
  factorUndos: [],
  reservesFormerAddress: false,
  recoveredAt: 0,
  regainedAt: 0,
  managedBy: undefined,
  version: 0,
  deletedPasswords: 0,
})

export async function learnCompany(
  context: StoryContext,
  session: Session,
  { id, name }: { id: string; name: string },
) {
  const { model } = context
  const roleIds = {} as Record<Role, string>
  const usual = { deletedAt: undefined, isSuspended: false, offer: undefined, maxAgeMinutes: undefined }
  const company: Company = { id, name, roleIds, ...usual }
  const { body } = await context.send('GET', '/companies/roles', { session, company })
  for (const role of ROLES) company.roleIds[role] = body.data.find((each: { name: string }) => each.name === role).id
  model.companies.push(company)
  const { account } = session
  const address = account.email
  model.memberships.push({
    since: model.next(),
    company,
    account,
    role: 'Owner',
    isActive: true,
    address,
    awaitsVerification: false,
    isOpened: true,
  })
}

/** With any password of the account that this person knows or knew. */
export const signIn: Action = (model, choices) => {
  const works = model.known.filter(({ account, text }) => model.passwordOf(account, text))
  // Mostly people with a valid password who are not signed in yet.
  const isIn = ({ person, account }: (typeof works)[number]) =>
    model.sessions.some((each) => each.holder === person && each.account === account && model.isSignedIn(each))
  const out = works.filter((each) => !isIn(each))
  const known = choices.of(choices.oneIn(5) ? model.known : out.length > 0 && !choices.oneIn(4) ? out : works)
  if (!known) return undefined
  const { person, account, text } = known
  const withKey = choices.oneIn(2)
  const match = model.passwordOf(account, text)
  const which = match ? `the password ${match.password.why}` : 'an old password'
  return {
    text: `${person.name} signs in to ${account.name} with ${which}${withKey ? ' and a key' : ''}`,
    async run(context) {
      const key = withKey ? model.newKey() : undefined
      const body = { email: account.email, password: text }
      const answer = await context.send('POST', '/auth/login', { body, key })
      const isAsked = answer.body.code === 'second_factor_required'
      const isDue = match && model.isStoodBy(match.password, account)
      if (answer.status === 401 && isDue && isAsked !== account.factors.length > 0)
        throw new RuleViolation('what is valid works', `the password ${match.password.why}`)
      if (isAsked) return confirmSignIn(context, choices, { person, account, text, challenge: answer.body.challenge })
      if (answer.status !== 200) return outcome(answer)
      const session = signedIn(context, person, account, text, answer.body.data)
      if (key) keepSignIn(context, session, { path: '/auth/login', body, key })
      return outcome(answer)
    },
  }
}

interface StartedSignIn {
  person: Person
  account: Account
  text: string
  challenge: { token: string; passkeyOptions?: Parameters<typeof bodyFor>[1]['options'] }
}

/** With a factor of this person, mostly one that works. */
async function confirmSignIn(
  context: StoryContext,
  choices: Choices,
  { person, account, text, challenge }: StartedSignIn,
): Promise<string> {
  const { model } = context
  if (!model.passwordOf(account, text))
    throw new RuleViolation('only valid passwords work', `an old password is half of a sign-in to ${account.name}`)
  const path = '/auth/login/second-factor'
  const { proof, text: what } = answerFor(model, choices, account, person)
  const answered = await bodyFor(context, { account, options: challenge.passkeyOptions }, proof)
  const body = { challenge: challenge.token, ...answered }
  const key = choices.oneIn(2) ? model.newKey() : undefined
  const answer = await context.send('POST', path, { body, key })
  assertProof(account, proof, answer)
  if (answer.status === 200) {
    const session = signedIn(context, person, account, text, answer.body.data, proof)
    if (key) keepSignIn(context, session, { path, body, key })
  }
  return `${what}: ${outcome(answer)}`
}

function keepSignIn(
  context: StoryContext,
  session: Session,
  request: { path: string; body: unknown; key: string },
): void {
  const { holder, account, refreshToken } = session
  const text = `the sign-in of ${holder.name} to ${account.name}`
  context.storeRequest(holder, { what: 'sign-in', text, ...request, session, account, refreshToken })
}

/** Needs no password. Also with a passkey that was removed. */
export const signInByPasskey: Action = (model, choices) => {
  const passkeys = model.factors.filter((each) => each.kind === 'passkey')
  const present = passkeys.filter((each) => each.account.factors.includes(each))
  const factor = choices.of(choices.oneIn(3) ? passkeys : present)
  if (factor?.kind !== 'passkey') return undefined
  const { account, holder, authenticator } = factor
  return {
    text: `${holder.name} signs in to ${account.name} by passkey`,
    async run(context) {
      const { challenge, options } = (await context.send('POST', '/auth/passkeys/options')).body.data
      const body = { challenge, credential: authenticator.get(options) }
      const key = choices.oneIn(2) ? model.newKey() : undefined
      const answer = await context.send('POST', '/auth/passkeys/login', { body, key })
      assertProof(account, factor, answer)
      if (answer.status !== 200) return outcome(answer)
      const opened = { why: 'by passkey', mustChange: false, factor }
      const session = beginSession(model, account, holder, answer.body.data, opened)
      if (key) keepSignIn(context, session, { path: '/auth/passkeys/login', body, key })
      return outcome(answer)
    },
  }
}

export function signedIn(
  { model }: StoryContext,
  person: Person,
  account: Account,
  text: string,
  // biome-ignore lint/suspicious/noExplicitAny: an answer, as a client sees it.
  data: any,
  factor?: Factor | 'recovery code',
): Session {
  const match = model.passwordOf(account, text)
  if (!match) throw new RuleViolation('only valid passwords work', `an old password opens ${account.name}`)
  const { kind, password } = match
  // Using the chosen password invalidates a password that was emailed in addition to it.
  if ((kind === 'chosen' && account.temporary) || (kind !== 'second' && account.second)) account.deletedPasswords++
  if (kind === 'chosen') account.temporary = undefined
  if (kind !== 'second') account.second = undefined
  const mustChange = kind !== 'chosen'
  const why = `with the password ${password.why}`
  return beginSession(model, account, person, data, { why, mustChange, ...(factor && { factor }) })
}

export const signOut: Action = (model, choices) => {
  const session = choices.of(model.sessions.filter((each) => model.isSignedIn(each)))
  if (!session) return undefined
  return {
    text: `${session.holder.name} signs out of ${session.account.name}`,
    async run(context) {
      const body = { refreshToken: session.refreshToken }
      const answer = await context.send('POST', '/auth/logout', { session, body })
      if (answer.status === 200) session.hasEnded = true
      return outcome(answer)
    },
  }
}

export const refreshTokens: Action = (model, choices) => {
  const session = choices.of(model.sessions.filter((each) => model.canRefresh(each)))
  if (!session) return undefined
  const withKey = !choices.oneIn(4)
  const { holder, account } = session
  return {
    text: `${holder.name} exchanges the refresh token of ${account.name}${withKey ? ' with a key' : ''}`,
    async run(context) {
      const key = withKey ? model.newKey() : undefined
      const body = { refreshToken: session.refreshToken }
      const answer = await context.send('POST', '/auth/refresh', { body, key })
      // Not beyond the temporary password that has to be exchanged.
      if (answer.status === 401 && session.mustChange) return outcome(answer)
      if (answer.status !== 200)
        throw new RuleViolation('what is valid works', `an unused refresh token: ${answer.status}`)
      const { version, temporary, deletedPasswords } = account
      const { refreshToken: token } = session
      session.spent.push({ token, key, at: model.now, atMs: performance.now(), version, temporary, deletedPasswords })
      session.accessTokens.push(answer.body.data.accessToken)
      Object.assign(session, { refreshToken: answer.body.data.refreshToken, exchangedAt: model.now })
      return outcome(answer)
    },
  }
}
