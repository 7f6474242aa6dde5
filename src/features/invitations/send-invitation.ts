import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import type { CompanyContext } from '../mail/outbox/company-context.ts'
import { enqueueEmailOrRefuse, limitsFor } from '../mail/outbox/enqueue.ts'

interface Outgoing {
  email: string
  name: string
  locale: string
  expires_at: string
  /** What the token in the email is derived from. */
  linkId: string
}

/** The one who has an address that is invited; undefined: no account has it. */
export interface Invitee {
  locale: string
  is_member: boolean
}

export async function findInvitee(tx: Tx, email: string): Promise<Invitee | undefined> {
  const { rows } = await sql<Invitee>`select locale, is_member from find_invitee(${email})`.execute(tx)
  return rows[0]
}

/** In the language that was chosen for the invitation, or else the account’s, or else the company’s. */
export async function sendInvitation(
  tx: Tx,
  actor: CompanyActor,
  { emailLimits }: Config,
  company: CompanyContext,
  invitee: Invitee | undefined,
  { email, name, locale, expires_at, linkId }: Outgoing,
): Promise<void> {
  await enqueueEmailOrRefuse(
    tx,
    limitsFor(emailLimits, actor),
    'invitation',
    { email, name, locale: locale || invitee?.locale || company.locale },
    { company: company.name, inviter: actor.name, until: expires_at, timezone: company.timezone, linkId },
    { expiresAt: new Date(expires_at) },
  )
}
