import { dropDeadOffer, endMembership, enter, link } from '../effects.ts'
import { type Account, type Company, type Membership, ROLES, type Role, rankOf, type Session } from '../facts.ts'
import type { Model } from '../model.ts'
import { allAddresses } from '../people.ts'
import { Broken, type Stage } from '../stage.ts'
import { type Deed, outcome, type Picks } from '../steps.ts'
import { covers, insider, judgeRight, mayAct, pairWithTarget, roleIn } from './insiders.ts'
import { newAccount } from './signing-in.ts'

const roleAmong = (picks: Picks): Role => picks.of(['Member', 'Admin', 'Owner', 'Manager'] as const) as Role

export const opens: Deed = (model, picks) => {
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const pairs = model.memberships
    .filter(({ isOpened }) => !isOpened)
    .flatMap(({ company, account }) =>
      sessions.filter((each) => each.account === account).map((session) => ({ session, company })),
    )
  const pair = picks.of(pairs)
  const path = picks.of(['/companies/users', '/companies/roles', '/companies/branches']) as string
  if (!pair) return undefined
  const { session, company } = pair
  return {
    text: `${session.holder.name} enters ${company.name} by the account ${session.account.name}`,
    async run(stage) {
      const may = model.mayEnter(session, company)
      const answer = await stage.send('GET', path, { session, company })
      const name = `${session.holder.name} in the account ${session.account.name} (${session.why})`
      if (answer.status === 200 && !may)
        throw new Broken('nobody is inside without a reason', `${name} reads ${company.name}`)
      if (answer.status !== 200 && may)
        throw new Broken('what has a reason works', `${name} is kept out of ${company.name}`)
      enter(model, session, company)
      return outcome(answer)
    },
  }
}

export const adds: Deed = (model, picks) => {
  const pair = insider(model, picks, 'Manager')
  const email = picks.of(allAddresses)
  const role = roleAmong(picks)
  const withKey = picks.oneIn(3)
  if (!pair || !email || !model.mayMail('temporary_password', email)) return undefined
  const { session, company } = pair
  return {
    text: `${session.holder.name} adds ${email} to ${company.name} as ${role}${withKey ? ' with a key' : ''}`,
    async run(stage) {
      const key = withKey ? model.newKey() : undefined
      const may = mayAct(model, session, company, 'Manager') && rankOf(roleIn(model, session, company)) >= rankOf(role)
      const body = { name: 'Somebody', email, roleIds: [company.roleIds[role]] }
      enter(model, session, company)
      const answer = await stage.send('POST', '/companies/users', { session, company, body, key })
      if (answer.status !== 201) return outcome(answer)
      judgeRight(may, `${session.holder.name} adds to ${company.name} as ${role}`)
      await learnMember(stage, company, email, role, answer.body.data)
      const text = `the addition of ${email} to ${company.name} by ${session.holder.name}`
      if (key) keepWrite(stage, session, company, { text, path: '/companies/users', body, key })
      return outcome(answer)
    },
  }
}

function keepWrite(
  stage: Stage,
  session: Session,
  company: Company,
  kept: { text: string; path: string; body: unknown; key: string },
) {
  stage.keep(session.holder, { what: 'write', ...kept, token: session.accessTokens.at(-1), company: company.id })
}

/** An account was made for the address, or the one that has it was linked. */
export async function learnMember(
  stage: Stage,
  company: Company,
  email: string,
  role: Role,
  { id, isNewUser }: { id: string; isNewUser: boolean },
): Promise<Account> {
  const { model } = stage
  const known = model.accounts.find((each) => each.id === id)
  if (known && known.email !== email)
    throw new Broken(
      'a company links the address that it named',
      `${email} was asked for, and ${known.email} was linked`,
    )
  if (known) {
    link(model, company, known, role, false)
    await stage.secretsFor(known)
    return known
  }
  judgeRight(isNewUser, `an account for ${email} that nobody made was linked`)
  const account = newAccount(id, email)
  account.managedBy = company
  model.accounts.push(account)
  const [letter] = await stage.secretsFor(account)
  if (letter)
    account.temporary = { text: letter.secret, why: `mailed to ${email}`, mailedTo: letter.to, since: model.now }
  link(model, company, account, role, true)
  return account
}

export const assigns: Deed = (model, picks) => {
  const pair = insider(model, picks, 'Manager')
  const strangers = model.accounts.filter((each) => pair && !model.membershipOf(pair.company, each))
  const shown = strangers.filter(({ wasShown }) => wasShown)
  const account = picks.of(shown.length > 0 && picks.oneIn(2) ? shown : strangers)
  const role = roleAmong(picks)
  if (!pair || !account) return undefined
  const { session, company } = pair
  return {
    text: `${session.holder.name} assigns ${account.name} to ${company.name} as ${role}`,
    async run(stage) {
      const may = mayAct(model, session, company, 'Manager') && rankOf(roleIn(model, session, company)) >= rankOf(role)
      const body = { userId: account.id, roleNames: [role] }
      enter(model, session, company)
      const answer = await stage.send('POST', `/companies/${company.id}/members`, { session, company, body })
      if (answer.status !== 201) return outcome(answer)
      judgeRight(may, `${session.holder.name} assigns to ${company.name} as ${role}`)
      link(model, company, account, role, false)
      return outcome(answer)
    },
  }
}

const wouldLackOwner = (model: Model, target: Membership) =>
  target.role === 'Owner' && model.counts(target) && model.otherOwners(target).length === 0

export const changesMember: Deed = (model, picks) => {
  const found = pairWithTarget(model, picks, 'Manager')
  const role = picks.oneIn(2) ? (picks.of(ROLES) as Role) : undefined
  if (!found) return undefined
  const { session, company, target } = found
  const isActive = role ? target.isActive : !target.isActive
  const what = role
    ? `makes ${target.account.name} ${role}`
    : `sets ${target.account.name} ${isActive ? 'active' : 'inactive'}`
  return {
    text: `${session.holder.name} ${what} in ${company.name}`,
    async run(stage) {
      const own = roleIn(model, session, company)
      const may = covers(model, session, target) && (!role || rankOf(own) >= rankOf(role))
      enter(model, session, company)
      const lacksOwner = wouldLackOwner(model, target) && (!isActive || (role !== undefined && role !== 'Owner'))
      const body = role ? { roleIds: [company.roleIds[role]] } : { status: isActive ? 'active' : 'inactive' }
      const answer = await stage.send('PATCH', `/companies/users/${target.account.id}`, { session, company, body })
      if (answer.status !== 200) return outcome(answer)
      judgeRight(may, `${session.holder.name} ${what} in ${company.name}`)
      if (lacksOwner) throw new Broken('a company keeps an Owner who has opened it', `${company.name} has none`)
      Object.assign(target, { isActive, role: role ?? target.role })
      dropDeadOffer(model, company)
      return outcome(answer)
    },
  }
}

export const detaches: Deed = (model, picks) => {
  const found = pairWithTarget(model, picks, 'Admin')
  if (!found) return undefined
  const { session, company, target } = found
  return {
    text: `${session.holder.name} detaches ${target.account.name} from ${company.name}`,
    async run(stage) {
      const may = covers(model, session, target) && mayAct(model, session, company, 'Admin')
      enter(model, session, company)
      const lacksOwner = wouldLackOwner(model, target)
      const answer = await stage.send('DELETE', `/companies/users/${target.account.id}`, { session, company })
      if (answer.status !== 200) return outcome(answer)
      judgeRight(may, `${session.holder.name} detaches ${target.account.name} from ${company.name}`)
      if (lacksOwner) throw new Broken('a company keeps an Owner who has opened it', `${company.name} has none`)
      endMembership(model, target)
      return outcome(answer)
    },
  }
}

export const leaves: Deed = (model, picks) => {
  const sessions = model.sessions.filter((each) => model.isSignedIn(each) && !each.mustChange)
  const session = picks.of(sessions)
  const own = session && picks.of(model.memberships.filter(({ account }) => account === session.account))
  if (!session || !own) return undefined
  return {
    text: `${session.holder.name} leaves ${own.company.name} by the account ${session.account.name}`,
    async run(stage) {
      const lacksOwner = wouldLackOwner(model, own)
      const answer = await stage.send('POST', `/companies/${own.company.id}/leave`, { session })
      if (answer.status === 422 && !lacksOwner && !own.isOpened)
        throw new Broken(
          'a company that was not opened can be left',
          `${session.account.name} can't leave ${own.company.name}`,
        )
      if (answer.status !== 200) return outcome(answer)
      judgeRight(
        !(own.awaitsProof && session.account.wasShown),
        `${session.account.name}, whose password was shown, leaves ${own.company.name}`,
      )
      if (lacksOwner) throw new Broken('a company keeps an Owner who has opened it', `${own.company.name} has none`)
      endMembership(model, own)
      return outcome(answer)
    },
  }
}
