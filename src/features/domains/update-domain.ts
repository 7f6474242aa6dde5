import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { findMembership } from '../../access/memberships.ts'
import type { Tx } from '../../database/open.ts'
import { type Changes, record } from '../audit/records.ts'
import { domainSubject } from '../audit/subjects.ts'
import { getDomain } from './domains.ts'
import { getRolesForJoining, setJoinRoles } from './join-roles.ts'
import type { Domain, DomainUpdate } from './schemas.ts'

/** How people join by a domain. It has an effect only while the domain is verified. */
export async function updateDomain(
  tx: Tx,
  owner: CompanyActor,
  domainId: string,
  { joinPolicy, joinRoleIds }: DomainUpdate,
): Promise<Domain> {
  const now = await getDomain(tx, domainId)
  const roles = joinRoleIds && (await getRolesForJoining(tx, owner, joinRoleIds))

  const approver = (joinPolicy || roles) && (await standBy(tx, owner, domainId, joinPolicy ?? now.joinPolicy))
  if (roles) await setJoinRoles(tx, domainId, roles)
  const next = await getDomain(tx, domainId)
  const changes = { ...changesOf(now, next), ...approver }
  if (Object.keys(changes).length > 0) await record(tx, owner, 'domains.update', domainSubject(now), changes)
  return next
}

/** From now on this owner stands by what the domain shows; what does not count any more stays so until it is chosen itself. */
async function standBy(tx: Tx, owner: CompanyActor, domainId: string, policy: Domain['joinPolicy']): Promise<Changes> {
  const approver = await approverChange(tx, owner, domainId)
  await tx
    .updateTable('company_domains')
    .set({
      join_policy: policy,
      approved_permissions: sql<string[]>`case when is_joining_stood_by(id) then approved_permissions else '{}' end`,
      approved_by: owner.accountId,
      approved_at: sql<string>`now()`,
    })
    .where('id', '=', domainId)
    .execute()
  return approver
}

/** By their addresses: an erasure finds by them what names a person beside the actor. */
async function approverChange(tx: Tx, { accountId, email }: CompanyActor, domainId: string): Promise<Changes> {
  const { approved_by: former } = await tx
    .selectFrom('company_domains')
    .select('approved_by')
    .where('id', '=', domainId)
    .executeTakeFirstOrThrow()
  if (former === accountId) return {}
  const member = former === null ? undefined : await findMembership(tx, former)
  return { approved_by: { from: member?.email, to: email } }
}

/** Choosing a role again, after it got more permissions, is a change, too. */
function changesOf(now: Domain, next: Domain): Changes {
  const names = ({ joinRoles }: Domain) => joinRoles.filter(({ given }) => given).map(({ name }) => name)
  const [from, to] = [names(now), names(next)]
  return {
    ...(now.joinPolicy !== next.joinPolicy && { join_policy: { from: now.joinPolicy, to: next.joinPolicy } }),
    ...(from.join() !== to.join() && { join_roles: { from, to } }),
  }
}
