import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import type { EmailLimits } from '../../config/config.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asAnyone, asWorker, enterAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { decrypt, encrypt } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import type { KeySet, Keys } from '../../lib/keys.ts'
import { type Account, lockAccount } from '../accounts/accounts.ts'
import { hasLiveLink, sendLink } from '../accounts/links.ts'
import { signedInLatelyFrom } from '../accounts/sign-in-attempts.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'

/** What a worker finds before it sends the links: nobody's request waits long, so one network needs no more. */
const WAITING_MAX = 5

/**
 * Asks for a link to set a new password. Neither the work nor the time of the answer tells whether the address has an
 * account: nobody looks for it before the answer. Requests for one address wait in bounded number, and from each network
 * for itself, so that nobody uses up the places of the account's owner.
 */
export async function requestPasswordReset(
  { database, keys }: Pick<Deps, 'database' | 'keys'>,
  email: string,
  { ip, network, userAgent, requestId }: RequestInfo,
): Promise<void> {
  const id = newId()
  const mac = keys.current.mac('recovered address v1', email)
  const sealed = encrypt(keyFor(keys.current, id), Buffer.from(id), email)
  await sql`
    insert into password_reset_requests (id, email_mac, encrypted_email, network, ip, user_agent, request_id)
    select ${id}::uuid, ${mac}::bytea, ${sealed}::bytea, ${network}::cidr, ${ip}::inet, ${userAgent}::text, ${requestId}::text
    where (
      select count(*) from password_reset_requests where email_mac = ${mac}::bytea and network = ${network}::cidr
    ) < ${WAITING_MAX}`.execute(database.autocommit(asAnyone))
}

export type PasswordResetDeps = Pick<Deps, 'config' | 'database' | 'keys'> & {
  /** Told of a request that could not be handled; it is tried again. */
  onFailure(error: unknown, requestId: string): void
}

const REQUESTS_AT_ONCE = 200

/** Handles requests that wait, beside any number of others who do the same; resolves to how many it looked at. */
export async function handlePasswordResetRequests(parts: PasswordResetDeps): Promise<number> {
  const ids = await findDue(parts.database)
  for (const id of ids) {
    try {
      await handleRequest(parts, id)
    } catch (error) {
      await postpone(parts.database, id)
      parts.onFailure(error, id)
    }
  }
  return ids.length
}

/** Whoever waited longer than an hour, because no worker ran, does not expect an email any more. */
async function findDue(database: Database): Promise<string[]> {
  const rows = await database
    .autocommit(asWorker)
    .selectFrom('password_reset_requests')
    .select('id')
    .where('retry_at', '<=', sql<string>`now()`)
    .where('created_at', '>', sql<string>`now() - interval '1 hour'`)
    .orderBy('retry_at')
    .orderBy('id')
    .limit(REQUESTS_AT_ONCE)
    .execute()
  return rows.map(({ id }) => id)
}

async function postpone(database: Database, id: string): Promise<void> {
  await database
    .autocommit(asWorker)
    .updateTable('password_reset_requests')
    .set({ retry_at: sql`now() + interval '30 seconds'` })
    .where('id', '=', id)
    .execute()
}

/** The request goes in the transaction that writes its email: of several workers one handles it, and only once. */
async function handleRequest({ config, database, keys }: PasswordResetDeps, id: string): Promise<void> {
  await database.write(asWorker, async (tx) => {
    const request = await takeRequest(tx, id)
    const email = request && addressIn(keys, request)
    if (!email) return
    await enterAnyone(tx)
    const account = await lockAccountOf(tx, email)
    if (!account) return

    const isSent = await sendRecovery(tx, account, request.network, config.emailLimits)
    const subject = accountSubject({ id: account.id, email })
    await record(tx, requestInfoOf(request), 'passwords.request_reset', subject, {
      email: { to: isSent ? 'sent' : 'withheld' },
    })
  })
}

interface RecoveryRequest {
  id: string
  encrypted_email: Buffer
  network: string
  ip: string
  user_agent: string
  request_id: string
}

async function takeRequest(tx: Tx, id: string): Promise<RecoveryRequest | undefined> {
  const { rows } = await sql<RecoveryRequest>`
    delete from password_reset_requests
    where id = any(array(select id from password_reset_requests where id = ${id} for update skip locked))
    returning id, encrypted_email, network, host(ip) as ip, user_agent, request_id`.execute(tx)
  return rows[0]
}

async function lockAccountOf(tx: Tx, email: string): Promise<Account | undefined> {
  const found = await tx.selectFrom('accounts').select('id').where('email', '=', email).executeTakeFirst()
  const account = found && (await lockAccount(tx, found.id))
  // It may have left the address while this waited for its lock.
  return account?.email === email ? account : undefined
}

/**
 * Recovery can't be taken from an account's owner by asking for it: without a live link a request sends one, and as long
 * as there is one its owner can use that. What strangers cause is bounded for the day; a network that the account knows
 * never falls under that, but has a bound of its own: who signed up with somebody else's address is known there, too.
 */
async function sendRecovery(tx: Tx, account: Account, network: string, limits: EmailLimits): Promise<boolean> {
  const isKnown = await isNetworkKnown(tx, account.id, network)
  const { recoveriesFromKnownNetworks, recoveriesFromUnknownNetworks } = limits
  const enough = isKnown ? recoveriesFromKnownNetworks : recoveriesFromUnknownNetworks
  if (enough !== null && (await countSent(tx, account.id, isKnown)) >= enough) return false

  const perRecipient = (await hasLiveLink(tx, account.id, 'reset_password')) ? limits.perRecipient : null
  const { retryAfterSeconds } = await sendLink(tx, { perRecipient }, account.id, 'reset_password', account)
  if (retryAfterSeconds) return false
  await tx.insertInto('sent_password_resets').values({ account_id: account.id, network_is_known: isKnown }).execute()
  return true
}

async function isNetworkKnown(tx: Tx, accountId: string, network: string): Promise<boolean> {
  const row = await tx
    .selectFrom('accounts')
    .select(signedInLatelyFrom(network).as('isKnown'))
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row?.isKnown ?? false
}

/** Within the hour for known networks, within the day for the others. Counted under the account's lock, so exactly. */
async function countSent(tx: Tx, accountId: string, networkIsKnown: boolean): Promise<number> {
  const { sent } = await tx
    .selectFrom('sent_password_resets')
    .select((count) => count.fn.countAll<number>().as('sent'))
    .where('account_id', '=', accountId)
    .where('network_is_known', '=', networkIsKnown)
    .where('created_at', '>', sql<string>`now() - make_interval(hours => ${networkIsKnown ? 1 : 24})`)
    .executeTakeFirstOrThrow()
  return Number(sent)
}

/** Undefined: it was encrypted with a secret that is not known any more. */
function addressIn(keys: Keys, { id, encrypted_email }: RecoveryRequest): string | undefined {
  for (const keySet of keys.accepted) {
    try {
      return decrypt(keyFor(keySet, id), Buffer.from(id), encrypted_email)
    } catch {
      // Encrypted with another one of the secrets that are accepted.
    }
  }
  return undefined
}

/** Of each row its own. */
const keyFor = (keySet: KeySet, id: string) => keySet.mac('recovery request v1', id)

/** Who asked, as far as the audit tells it. */
const requestInfoOf = ({ ip, network, user_agent, request_id }: RecoveryRequest): RequestInfo => ({
  ip,
  network,
  userAgent: user_agent,
  requestId: request_id,
  elapsedMs: () => 0,
  isDisconnected: () => false,
  idempotencyKey: undefined,
})
