import { RuleViolation } from '../context.ts'
import { endInvitations, join, markOpened } from '../effects.ts'
import { isFormerAddress } from '../former-addresses.ts'
import { ROLES, type Role, rankOf } from '../state.ts'
import { type Action, outcome } from '../steps.ts'
import { assertAllowed, canAct, roleIn, signedInWithRole } from './authority.ts'
import { pickVerified, proveMailbox } from './mailbox.ts'

/** All mailboxes of the stories are at this domain. */
const DOMAIN = 'example.com'

/** As if the company had proved the domain, which it then has in the place of another one; or it changes who may join. */
export const openByDomain: Action = (model, choices) => {
  const company = choices.of(model.companies.filter(({ deletedAt }) => deletedAt === undefined))
  const policy = choices.oneIn(2) ? 'auto' : 'request'
  if (!company) return undefined
  return {
    text: `${company.name} has the domain of all, and lets people join by it: ${policy}`,
    async run({ real }) {
      await real.service.db.query(
        `update company_domains set status = 'lapsed', check_at = null where status = 'verified'`,
      )
      await real.service.db.query(
        `insert into company_domains (company_id, id, name, status, verified_at, check_at, join_policy)
         values ($1, gen_random_uuid(), $2, 'verified', now(), now() + interval '1 day', $3)
         on conflict (company_id, name) do update set status = 'verified', check_at = now() + interval '1 day', join_policy = $3`,
        [company.id, DOMAIN, policy],
      )
      const requests = model.joinByDomain?.company === company ? model.joinByDomain.requests : []
      model.joinByDomain = { company, policy, requests }
      return 'done'
    },
  }
}

/** Also companies that have no domain. */
export const joinByDomain: Action = (model, choices) => {
  const session = pickVerified(model, choices)
  const company = choices.oneIn(6) ? choices.of(model.companies) : model.joinByDomain?.company
  if (!session || !company || !model.canEmail('mailbox_code', session.account.email)) return undefined
  const { account } = session
  return {
    text: `${session.holder.name} joins ${company.name} by the domain with the account ${account.name}`,
    async run(context) {
      const open = model.joinByDomain?.company === company ? model.joinByDomain : undefined
      const answer = await proveMailbox(context, session, 'joining', (emailCode) =>
        context.send('POST', `/auth/companies/${company.id}/join`, {
          session,
          body: { ...(emailCode && { emailCode }) },
        }),
      )
      await context.real.newEmails()
      if (answer.status !== 200) return outcome(answer)
      const what = `${session.holder.name} joins ${company.name} with the account ${account.name}`
      const isProved = session.provedEmails.joining === account.email && account.isVerified && !account.isPasswordShown
      const isOpen = company.deletedAt === undefined && !company.isSuspended && !model.membershipOf(company, account)
      assertAllowed(open !== undefined && isProved && isOpen, what)
      const { status, request } = answer.body.data
      if (status === 'requested') {
        if (request && !open?.requests.some(({ id }) => id === request.id))
          open?.requests.push({ id: request.id, account, email: account.email })
        return `${outcome(answer)} ${status}`
      }
      const wasMember =
        model.departures.some((each) => each.company === company && each.account === account) ||
        isFormerAddress(model, company, account.email)
      assertAllowed(open?.policy === 'auto', `${what}, which asks first`)
      if (wasMember) throw new RuleViolation('a former member asks', what)
      join(model, company, account, 'Member')
      return `${outcome(answer)} ${status}`
    },
  }
}

export const approveRequest: Action = (model, choices) => {
  const request = choices.of(model.joinByDomain?.requests ?? [])
  const pair = signedInWithRole(model, choices, 'Manager')
  const role = choices.oneIn(3) ? (choices.of(ROLES) as Role) : undefined
  if (!request || !pair) return undefined
  const { session, company } = pair
  const { account } = request
  return {
    text: `${session.holder.name} lets ${account.name} into ${company.name}${role ? ` as ${role}` : ''}`,
    async run(context) {
      const isAllowed =
        canAct(model, session, company, 'Manager') &&
        rankOf(roleIn(model, session, company)) >= rankOf(role ?? 'Member') &&
        account.email === request.email &&
        account.isVerified &&
        !model.membershipOf(company, account)
      markOpened(model, session, company)
      const path = `/companies/join-requests/${request.id}/approve`
      const body = role ? { roleIds: [company.roleIds[role]] } : {}
      const answer = await context.send('POST', path, { session, company, body })
      await context.real.newEmails()
      if (answer.status !== 200) return outcome(answer)
      assertAllowed(isAllowed, `${session.holder.name} lets ${account.name} into ${company.name}`)
      const { email: address } = account
      endInvitations(model, company, address)
      model.memberships.push({
        since: model.next(),
        ...{ company, account, address, role: role ?? 'Member' },
        ...{ isActive: true, awaitsVerification: false, isOpened: false },
      })
      return outcome(answer)
    },
  }
}
