import { RuleViolation, type StoryContext } from './context.ts'
import type { Model } from './model.ts'
import type { Account, Company, Session } from './state.ts'

/**
 * Checked after each step: every credential that works is valid in the model, and every account reads only the companies
 * that the model allows. Memberships that are not opened yet are skipped because a request would open them.
 */
export async function checkInvariants(context: StoryContext): Promise<void> {
  await checkRecipients(context)
  checkOwners(context.model)
  await Promise.all(context.model.sessions.map((session) => checkSession(context, session)))
  for (const account of context.model.accounts) await checkCompanies(context, account)
}

/** A secret that was emailed to another address than the account's is useless. */
async function checkRecipients({ model, real, fresh }: StoryContext): Promise<void> {
  for (const { kind, to, account, purpose, secret } of fresh) {
    // Emailed to the address before: the person who reads it may have the account back.
    if (purpose === 'undo_email_change') continue
    const home = purpose === 'change_email' ? account.pendingEmail : account.email
    if (to === home) continue
    const about = `${kind} of ${account.name} went to ${to}, and the account's address is ${home}`
    if (purpose && model.isLinkValid(account, purpose, secret))
      throw new RuleViolation('secrets are emailed to the account address', about)
    const body = { email: account.email, password: secret }
    const { status } = await real.service.client.post('/auth/login', body)
    if (!purpose && status === 200) throw new RuleViolation('secrets are emailed to the account address', about)
  }
}

function checkOwners(model: Model): void {
  for (const company of model.companies) {
    const owners = model.memberships.filter((each) => each.company === company && each.role === 'Owner')
    if (company.deletedAt !== undefined || owners.some((each) => model.isOpenedMembership(each))) continue
    throw new RuleViolation('a company keeps an owner who has opened it', `${company.name} has none`)
  }
}

async function checkSession({ model, real }: StoryContext, session: Session): Promise<void> {
  const name = `the session of ${session.holder.name} in the account ${session.account.name} (${session.why})`
  for (const token of tokensToTry(model, session)) {
    const { status, body } = await real.service.client.get('/auth/me', { token })
    const works = status === 200 || body.code === 'password_change_required'
    session.hasEnded ??= !works
    const isActive = model.isSignedIn(session)
    if (works && !isActive) throw new RuleViolation('only valid tokens work', `${name} has ended, but its token works`)
    if (!works && isActive)
      throw new RuleViolation('what is valid works', `${name} is active, but its token is refused: ${status}`)
    if (isActive && (body.code === 'password_change_required') !== session.mustChange)
      throw new RuleViolation('a temporary password only permits its change', `${name}: ${status}`)
    if (status === 200) checkListedCompanies(model, session, body.data)
  }
  tried.set(session, session.hasEnded === true)
}

/** Sessions whose tokens were refused once are not tried again. */
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
      'only open companies are listed',
      `${account.name} sees ${company?.name ?? id} in its list of companies`,
    )
  }
  const missing = open.find((each) => each.isOpened && !shown.has(each.company.id))
  if (missing) throw new RuleViolation('what is valid works', `${account.name} does not see ${missing.company.name}`)
}

async function checkCompanies(context: StoryContext, account: Account): Promise<void> {
  const { model } = context
  const session = model.sessions.find((each) => each.account === account && model.isSignedIn(each) && !each.mustChange)
  if (!session) return
  await Promise.all([
    checkFactors(context, session),
    ...model.companies.map((company) => checkCompany(context, session, company)),
  ])
}

async function checkFactors({ real }: StoryContext, { account, accessTokens }: Session): Promise<void> {
  const { body } = await real.service.client.get('/auth/factors', { token: accessTokens.at(-1) })
  const present: string[] = body.data.factors.map(({ id }: { id: string }) => id)
  const isSame = present.length === account.factors.length && account.factors.every(({ id }) => present.includes(id))
  const about = `${account.name} has ${present.length} of them instead of ${account.factors.length}`
  if (!isSame) throw new RuleViolation('an account has the second factors that were added and not removed', about)
  if (body.data.recoveryCodesLeft !== (account.recoveryCodes?.unused.length ?? 0))
    throw new RuleViolation('recovery codes work once', `${account.name} has ${body.data.recoveryCodesLeft} left`)
}

async function checkCompany({ model, real }: StoryContext, session: Session, company: Company): Promise<void> {
  const membership = model.membershipOf(company, session.account)
  const isOpen = membership !== undefined && model.canEnter(session, company)
  if (isOpen && !membership.isOpened) return
  const token = session.accessTokens.at(-1)
  const { status, body } = await real.service.client.get('/companies/users', { token, company: company.id })
  const name = `${session.holder.name} in the account ${session.account.name} (${session.why})`
  if (status === 200 && !isOpen) throw new RuleViolation('only members read a company', `${name} reads ${company.name}`)
  if (status !== 200 && isOpen) throw new RuleViolation('what is valid works', `${name} cannot read ${company.name}`)
  if (status !== 200) return
  const role = body.data.find(({ id }: { id: string }) => id === session.account.id)?.roles
  if (role && !role.includes(membership?.role))
    throw new RuleViolation('members have only granted roles', `${name} is ${role} in ${company.name}`)
}
