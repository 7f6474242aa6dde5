import { RuleViolation, type StoryContext } from '../context.ts'
import { dropInvalidOffer, endMembership, link, markOpened } from '../effects.ts'
import type { Model } from '../model.ts'
import { allAddresses } from '../people.ts'
import { type Account, type Company, type Membership, ROLES, type Role, rankOf, type Session } from '../state.ts'
import { type Action, type Choices, outcome } from '../steps.ts'
import { assertAllowed, canAct, covers, pairWithTarget, roleIn, signedInWithRole } from './authority.ts'
import { assertNotReserved } from './secrets.ts'
import { newAccount } from './signing-in.ts'

const roleAmong = (choices: Choices): Role => choices.of(['Member', 'Admin', 'Owner', 'Manager'] as const) as Role

export const openCompany: Action = (model, choices) => {
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const pairs = model.memberships
    .filter(({ isOpened }) => !isOpened)
    .flatMap(({ company, account }) =>
      sessions.filter((each) => each.account === account).map((session) => ({ session, company })),
    )
  const pair = choices.of(pairs)
  const path = choices.of(['/companies/users', '/companies/roles', '/companies/branches']) as string
  if (!pair) return undefined
  const { session, company } = pair
  return {
    text: `${session.holder.name} opens ${company.name} with the account ${session.account.name}`,
    async run(context) {
      const isAllowed = model.canEnter(session, company)
      const answer = await context.send('GET', path, { session, company })
      const name = `${session.holder.name} in the account ${session.account.name} (${session.why})`
      if (answer.status === 200 && !isAllowed)
        throw new RuleViolation('only members read a company', `${name} reads ${company.name}`)
      if (answer.status !== 200 && isAllowed)
        throw new RuleViolation('what is valid works', `${name} cannot read ${company.name}`)
      markOpened(model, session, company)
      return outcome(answer)
    },
  }
}

export const addMember: Action = (model, choices) => {
  const pair = signedInWithRole(model, choices, 'Manager')
  const email = choices.of(allAddresses)
  const role = roleAmong(choices)
  const withKey = choices.oneIn(3)
  if (!pair || !email || !model.canEmail('temporary_password', email)) return undefined
  const { session, company } = pair
  return {
    text: `${session.holder.name} adds ${email} to ${company.name} as ${role}${withKey ? ' with a key' : ''}`,
    async run(context) {
      const key = withKey ? model.newKey() : undefined
      const isAllowed =
        canAct(model, session, company, 'Manager') && rankOf(roleIn(model, session, company)) >= rankOf(role)
      const body = { name: 'New Member', email, roleIds: [company.roleIds[role]] }
      markOpened(model, session, company)
      const answer = await context.send('POST', '/companies/users', { session, company, body, key })
      if (answer.status !== 201) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} adds to ${company.name} as ${role}`)
      await learnMember(context, company, email, role, answer.body.data)
      const text = `the addition of ${email} to ${company.name} by ${session.holder.name}`
      if (key) keepWrite(context, session, company, { text, path: '/companies/users', body, key })
      return outcome(answer)
    },
  }
}

function keepWrite(
  context: StoryContext,
  session: Session,
  company: Company,
  stored: { text: string; path: string; body: unknown; key: string },
) {
  context.storeRequest(session.holder, {
    what: 'write',
    ...stored,
    token: session.accessTokens.at(-1),
    company: company.id,
  })
}

/** Adds a member to the model: a new account, or the existing account with this address. */
export async function learnMember(
  context: StoryContext,
  company: Company,
  email: string,
  role: Role,
  { id, isNewUser }: { id: string; isNewUser: boolean },
): Promise<Account> {
  const { model } = context
  const known = model.accounts.find((each) => each.id === id)
  if (known && known.email !== email)
    throw new RuleViolation(
      'a company links the requested address',
      `${email} was requested, but ${known.email} was linked`,
    )
  if (known) {
    link(model, company, known, role, false)
    await context.secretsFor(known)
    return known
  }
  assertNotReserved(model, email)
  assertAllowed(isNewUser, `an unknown account for ${email} was linked`)
  const account = newAccount(id, email)
  account.managedBy = company
  model.accounts.push(account)
  const sent = (await context.secretsFor(account)).find(({ purpose }) => !purpose)
  if (sent) account.temporary = { text: sent.secret, why: `emailed to ${email}`, emailedTo: sent.to, since: model.now }
  link(model, company, account, role, true)
  return account
}

export const assignMember: Action = (model, choices) => {
  const pair = signedInWithRole(model, choices, 'Manager')
  const strangers = model.accounts.filter((each) => pair && !model.membershipOf(pair.company, each))
  const shown = strangers.filter(({ isPasswordShown }) => isPasswordShown)
  const account = choices.of(shown.length > 0 && choices.oneIn(2) ? shown : strangers)
  const role = roleAmong(choices)
  if (!pair || !account) return undefined
  const { session, company } = pair
  return {
    text: `${session.holder.name} assigns ${account.name} to ${company.name} as ${role}`,
    async run(context) {
      const isAllowed =
        canAct(model, session, company, 'Manager') && rankOf(roleIn(model, session, company)) >= rankOf(role)
      const body = { userId: account.id, roleNames: [role] }
      markOpened(model, session, company)
      const answer = await context.send('POST', `/companies/${company.id}/members`, { session, company, body })
      if (answer.status !== 201) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} assigns to ${company.name} as ${role}`)
      link(model, company, account, role, false)
      return outcome(answer)
    },
  }
}

const wouldLackOwner = (model: Model, target: Membership) =>
  target.role === 'Owner' && model.isOpenedMembership(target) && model.otherOwners(target).length === 0

export const updateMember: Action = (model, choices) => {
  const found = pairWithTarget(model, choices, 'Manager')
  const role = choices.oneIn(2) ? (choices.of(ROLES) as Role) : undefined
  if (!found) return undefined
  const { session, company, target } = found
  const isActive = role ? target.isActive : !target.isActive
  const what = role
    ? `gives ${target.account.name} the role ${role}`
    : `sets ${target.account.name} ${isActive ? 'active' : 'inactive'}`
  return {
    text: `${session.holder.name} ${what} in ${company.name}`,
    async run(context) {
      const own = roleIn(model, session, company)
      const isAllowed = covers(model, session, target) && (!role || rankOf(own) >= rankOf(role))
      markOpened(model, session, company)
      const lacksOwner = wouldLackOwner(model, target) && (!isActive || (role !== undefined && role !== 'Owner'))
      const body = role ? { roleIds: [company.roleIds[role]] } : { status: isActive ? 'active' : 'inactive' }
      const answer = await context.send('PATCH', `/companies/users/${target.account.id}`, { session, company, body })
      if (answer.status !== 200) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} ${what} in ${company.name}`)
      if (lacksOwner) throw new RuleViolation('a company keeps an owner who has opened it', `${company.name} has none`)
      Object.assign(target, { isActive, role: role ?? target.role })
      dropInvalidOffer(model, company)
      return outcome(answer)
    },
  }
}

export const detachMember: Action = (model, choices) => {
  const found = pairWithTarget(model, choices, 'Admin')
  if (!found) return undefined
  const { session, company, target } = found
  return {
    text: `${session.holder.name} detaches ${target.account.name} from ${company.name}`,
    async run(context) {
      const isAllowed = covers(model, session, target) && canAct(model, session, company, 'Admin')
      markOpened(model, session, company)
      const lacksOwner = wouldLackOwner(model, target)
      const answer = await context.send('DELETE', `/companies/users/${target.account.id}`, { session, company })
      if (answer.status !== 200) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} detaches ${target.account.name} from ${company.name}`)
      if (lacksOwner) throw new RuleViolation('a company keeps an owner who has opened it', `${company.name} has none`)
      endMembership(model, target)
      return outcome(answer)
    },
  }
}

export const leaveCompany: Action = (model, choices) => {
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const session = choices.of(sessions)
  const own = session && choices.of(model.memberships.filter(({ account }) => account === session.account))
  if (!session || !own) return undefined
  return {
    text: `${session.holder.name} leaves ${own.company.name} with the account ${session.account.name}`,
    async run(context) {
      const lacksOwner = wouldLackOwner(model, own)
      const answer = await context.send('POST', `/companies/${own.company.id}/leave`, { session })
      if (answer.status === 422 && !lacksOwner && !own.isOpened)
        throw new RuleViolation(
          'a company that was not opened can be left',
          `${session.account.name} cannot leave ${own.company.name}`,
        )
      if (answer.status !== 200) return outcome(answer)
      assertAllowed(
        !(own.awaitsVerification && session.account.isPasswordShown),
        `${session.account.name}, whose password was shown, leaves ${own.company.name}`,
      )
      if (lacksOwner)
        throw new RuleViolation('a company keeps an owner who has opened it', `${own.company.name} has none`)
      endMembership(model, own)
      return outcome(answer)
    },
  }
}
