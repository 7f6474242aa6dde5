import { sql } from 'kysely'
import type { Actor } from '../../access/actors.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asAccount, asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Keys } from '../../lib/keys.ts'
import { linkIdFrom } from '../../lib/secrets.ts'
import { problem } from '../../problems.ts'
import type { InvitationPreview, OwnInvitation } from './schemas.ts'

/** An invitation as the person sees it to whom it is addressed. */
export interface FoundInvitation {
  id: string
  company_id: string
  company_name: string
  /** Null: has left the company. */
  inviter_name: string | null
  email: string
  expires_at: string
  /** False: it was accepted. */
  is_pending: boolean
}

export interface LinkedInvitation extends FoundInvitation {
  locale: string
  has_account: boolean
}

/** Throws unless the token was made with our key. It is cheap, so that guessed tokens cost no query. */
export function getInvitationLinkId(keys: Keys, token: string): string {
  const id = linkIdFrom(keys, token, 'invitation')
  if (!id) throw problem('link_invalid')
  return id
}

export async function findByLink(tx: Tx, linkId: string): Promise<LinkedInvitation | undefined> {
  const { rows } = await sql<LinkedInvitation>`
    select id, company_id, company_name, inviter_name, email, locale, expires_at, is_pending, has_account
    from find_invitation(${linkId})`.execute(tx)
  return rows[0]
}

/** Every link that can't be used gets the same answer: revoked, expired, answered, replaced by a newer one. */
export async function getPendingByLink(tx: Tx, linkId: string): Promise<LinkedInvitation> {
  const found = await findByLink(tx, linkId)
  if (!found?.is_pending) throw problem('link_invalid')
  return found
}

/** Only the holder of the link learns whether the address has an account. */
export async function previewInvitation({ config, database, keys }: Deps, token: string): Promise<InvitationPreview> {
  const found = await getPendingByLink(database.autocommit(asAnyone), getInvitationLinkId(keys, token))
  const { email, expires_at, has_account: hasAccount } = found
  const whenNew = config.signUp === 'closed' ? 'none' : 'register'
  return { ...namesIn(found), email, expires_at, hasAccount, next: hasAccount ? 'sign_in' : whenNew }
}

const LISTED_MAX = 100

/** None unless the address of the account is verified: another person may have signed up with it. */
export async function listOwnInvitations(database: Database, { accountId }: Actor): Promise<OwnInvitation[]> {
  const { rows } = await sql<FoundInvitation & { created_at: string }>`
    select id, company_name, inviter_name, created_at, expires_at from own_invitations()
    where is_pending order by created_at desc, id desc limit ${sql.lit(LISTED_MAX)}`.execute(
    database.autocommit(asAccount(accountId)),
  )
  return rows.map((row) => ({
    id: row.id,
    ...namesIn(row),
    created_at: row.created_at,
    expires_at: row.expires_at,
  }))
}

export async function findOwn(tx: Tx, id: string): Promise<FoundInvitation | undefined> {
  const { rows } = await sql<FoundInvitation>`
    select id, company_id, company_name, inviter_name, email, expires_at, is_pending
    from own_invitations() where id = ${id}`.execute(tx)
  return rows[0]
}

const namesIn = ({ company_name, inviter_name }: FoundInvitation) => ({
  company: { name: company_name },
  inviter: inviter_name === null ? null : { name: inviter_name },
})
