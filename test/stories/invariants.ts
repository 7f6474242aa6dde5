import { RuleViolation, type StoryContext } from './context.ts'
import type { Model } from './model.ts'
import type { Account, Company, Session } from './state.ts'

/**
 * After each step: whatever works has a living reason, and nobody sees what the model does not allow. What is open but
 * was not opened yet is left alone: looking would open it.
 */
export async function checkInvariants(context: StoryContext): Promise<void> {
  await checkRecipients(context)
  checkOwners(context.model)
  await Promise.all(context.model.sessions.map((session) => checkSession(context, session)))
  for (const account of context.model.accounts) await checkCompanies(context, account)
}

/** A secret is only ever delivered to the address that its account has, or else it opens nothing. */
async function checkRecipients({ model, real, fresh }: StoryContext): Promise<void> {
  for (const { kind, to, account, purpose, secret } of fresh) {
    const home = purpose === 'change_email' ? account.pendingEmail : account.email
    if (to === home) continue
    const about = `${kind} of ${account.name} went to ${to}, and the account's address is ${home}`
    if (purpose && model.isLinkValid(account, purpose, secret))
      throw new RuleViolation('secrets go to the account alone', about)
    const body = { email: account.email, password: secret }
    const { status } = await real.service.client.post('/auth/login', body)
    if (!purpose && status === 200) throw new RuleViolation('secrets go to the account alone', about)
  }
}

function checkOwners(model: Model): void {
  for (const company of model.companies) {
    const owners = model.memberships.filter((each) => each.company === company && each.role === 'Owner')
    if (company.deletedAt !== undefined || owners.some((each) => model.isOpenedMembership(each))) continue
    throw new RuleViolation('a company keeps an Owner who has opened it', `${company.name} has none`)
  }
}

async function checkSession({ model, real }: StoryContext, session: Session): Promise<void> {
  const name = `the session of ${session.holder.name} in the account ${session.account.name} (${session.why})`
  for (const token of tokensToTry(model, session)) {
    const { status, body } = await real.service.client.get('/auth/me', { token })
    const works = status === 200 || body.code === 'password_change_required'
    session.hasEnded ??= !works
    const lives = model.isSignedIn(session)
    if (works && !lives)
      throw new RuleViolation('a token works for a living reason', `${name} has ended, and its token works`)
    if (!works && lives)
      throw new RuleViolation('what has a reason works', `${name} lives, and its token is refused: ${status}`)
    if (lives && (body.code === 'password_change_required') !== session.mustChange)
      throw new RuleViolation('a temporary password opens nothing but its own change', `${name}: ${status}`)
    if (status === 200) checkListedCompanies(model, session, body.data)
  }
  tried.set(session, session.hasEnded === true)
}

/** Sessions whose tokens have been refused once stay ended. */
const tried = new WeakMap<Session, boolean>()

function tokensToTry(model: Model, session: Session): string[] {
  if (tried.get(session)) return []
  return model.isSignedIn(session) ? session.accessTokens.slice(-1) : session.accessTokens
}

function checkListedCompanies(model: Model, { account }: Session, data: { tenants: { id: string }[] }): void {
  const own = model.memberships.filter((each) => each.account === account)
  const open = own.filter((each) => model.isOpen(each))
  const shown = new Set(data.tenants.map(({ id }) => id))
  for (const id of shown) {
    if (open.some(({ company }) => company.id === id)) continue
    const company = model.companies.find((each) => each.id === id)
    throw new RuleViolation(
      'nobody sees what is not open',
      `${account.name} is shown ${company?.name ?? id} among its companies`,
    )
  }
  const missing = open.find((each) => each.isOpened && !shown.has(each.company.id))
  if (missing)
    throw new RuleViolation('what has a reason works', `${account.name} is not shown ${missing.company.name}`)
}

async function checkCompanies(context: StoryContext, account: Account): Promise<void> {
  const { model } = context
  const session = model.sessions.find((each) => each.account === account && model.isSignedIn(each) && !each.mustChange)
  if (session) await Promise.all(model.companies.map((company) => checkCompany(context, session, company)))
}

async function checkCompany({ model, real }: StoryContext, session: Session, company: Company): Promise<void> {
  const membership = model.membershipOf(company, session.account)
  const isOpen = membership !== undefined && model.isOpen(membership)
  if (isOpen && !membership.isOpened) return
  const token = session.accessTokens.at(-1)
  const { status, body } = await real.service.client.get('/companies/users', { token, company: company.id })
  const name = `${session.holder.name} in the account ${session.account.name} (${session.why})`
  if (status === 200 && !isOpen)
    throw new RuleViolation('nobody is inside without a reason', `${name} reads ${company.name}`)
  if (status !== 200 && isOpen)
    throw new RuleViolation('what has a reason works', `${name} is kept out of ${company.name}`)
  if (status !== 200) return
  const role = body.data.find(({ id }: { id: string }) => id === session.account.id)?.roles
  if (role && !role.includes(membership?.role))
    throw new RuleViolation('nobody holds what was not given', `${name} is ${role} in ${company.name}`)
}
