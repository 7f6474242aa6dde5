import { listOwners, listRecentOwners, OWNERS_NOTIFIED_MAX } from '../../access/owners.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import { type CompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import type { EmailParams } from '../mail/outbox/emails.ts'
import { enqueueEmailOrRefuse, enqueueNotice, mailboxLimit, noticeLimits } from '../mail/outbox/enqueue.ts'

type OwnersNotice =
  | 'company_deleted'
  | 'company_suspended'
  | 'company_resumed'
  | 'company_renamed'
  | 'company_restored'
  | 'domain_lapsed'
  | 'domain_moved'
  | 'policy_loosened'
  | 'policy_reset'
  | 'policy_tightened'

interface NoticeOptions {
  actorId?: string
  isRequired?: boolean
  includesFormer?: boolean
}

/**
 * Notifies the owners of the current company. Limits of emails never prevent what they are notified of: each is notified of each
 * company, and only a mailbox that was notified of the same one ten times within the hour is left alone. `actorId`: the account that
 * did it, whose address may belong to another person, gets ten notices an hour over all companies but the first ones of the account: a thief in
 * it could otherwise delete companies of no worth ten times, and then this one unheard. Not so the addresses of before, which are those of its owner. An address that was never verified has a limit over all
 * companies (mailboxLimit). Of what is withheld an email says so. `isRequired`: what another
 * owner, or all of them, would not see is refused instead (429), because an intruder would hide the one change that matters behind ten that don’t. `includesFormer`: also those who
 * were owners within the last 7 days.
 *
 * Sorted by address, as every set of emails is enqueued, so that two companies with the same owners never wait for each other in a
 * circle.
 */
export async function notifyOwners<Kind extends OwnersNotice>(
  tx: Tx,
  { emailLimits }: Pick<Config, 'emailLimits'>,
  kind: Kind,
  company: CompanyContext,
  params: EmailParams[Kind],
  { actorId, isRequired = false, includesFormer = false }: NoticeOptions = {},
): Promise<void> {
  const owners = await (includesFormer ? listRecentOwners : listOwners)(tx, OWNERS_NOTIFIED_MAX)
  const withheld: number[] = []
  for (const owner of owners.sort((a, b) => (a.email < b.email ? -1 : 1))) {
    const isEverywhere = owner.id === actorId && !owner.is_joined_first && !owner.is_former
    const isBounded = !(owner.is_verified || owner.is_joined_first)
    const limits = {
      ...noticeLimits(emailLimits, isEverywhere ? undefined : company.id),
      perMailbox: mailboxLimit(emailLimits, owner),
    }
    const reader = withCompanyLocale(owner, company)
    if (isRequired && !isBounded) {
      await enqueueEmailOrRefuse(tx, limits, kind, reader, params)
    } else {
      const { retryAfterSeconds } = await enqueueNotice(tx, limits, kind, reader, params)
      if (retryAfterSeconds) withheld.push(retryAfterSeconds)
    }
  }
  if (isRequired && owners.length > 0 && withheld.length === owners.length)
    throw problem('email_limit_reached', { retryAfterSeconds: Math.min(...withheld) })
}
