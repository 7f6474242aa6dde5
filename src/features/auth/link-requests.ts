import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asAnyone, asWorker, enterAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { decrypt, encrypt } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import type { KeySet, Keys } from '../../lib/keys.ts'
import { type Account, lockAccount } from '../accounts/accounts.ts'
import { sendConfirmation } from './resend-confirmation.ts'
import { sendPasswordReset } from './send-password-reset.ts'

/** The links that anyone may request for an address, whether an account has it or not. */
export type RequestedPurpose = 'reset_password' | 'confirm_email'

/** Sends the link, or not, to the account that has the address. */
const handlers: Record<RequestedPurpose, typeof sendPasswordReset> = {
  reset_password: sendPasswordReset,
  confirm_email: sendConfirmation,
}

/** Requests that wait for the worker. It handles them within a second, so one network needs no more. */
const WAITING_MAX = 5

/**
 * Requests a link for an address. Neither the work nor the time of the answer shows whether an account has the address: it
 * is looked up after the answer, by the worker. Waiting requests are bounded for each address, purpose and network, so that
 * other networks can't use up the requests of the account's owner.
 */
export async function requestLink(
  { database, keys }: Pick<Deps, 'database' | 'keys'>,
  purpose: RequestedPurpose,
  email: string,
  { ip, network, userAgent, requestId }: RequestInfo,
): Promise<void> {
  const id = newId()
  const mac = keys.current.mac('recovered address v1', email)
  const sealed = encrypt(keyFor(keys.current, id), Buffer.from(id), email)
  await sql`
    insert into link_requests (id, purpose, email_mac, encrypted_email, network, ip, user_agent, request_id)
    select ${id}::uuid, ${purpose}::text, ${mac}::bytea, ${sealed}::bytea, ${network}::cidr, ${ip}::inet, ${userAgent}::text, ${requestId}::text
    where (
      select count(*) from link_requests
      where purpose = ${purpose}::text and email_mac = ${mac}::bytea and network = ${network}::cidr
    ) < ${WAITING_MAX}`.execute(database.autocommit(asAnyone))
}

export type LinkRequestDeps = Pick<Deps, 'config' | 'database' | 'keys'> & {
  /** Called for a request that could not be handled; it is tried again. */
  onFailure(error: unknown, requestId: string): void
}

const REQUESTS_AT_ONCE = 200

/** Handles waiting requests, beside any number of other workers; resolves to how many it looked at. */
export async function handleLinkRequests(parts: LinkRequestDeps): Promise<number> {
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

/** After an hour without a worker, the person who requested the link no longer expects it. */
async function findDue(database: Database): Promise<string[]> {
  const rows = await database
    .autocommit(asWorker)
    .selectFrom('link_requests')
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
    .updateTable('link_requests')
    .set({ retry_at: sql`now() + interval '30 seconds'` })
    .where('id', '=', id)
    .execute()
}

/** Deletes the request in the transaction that enqueues its email: of several workers one handles it, and only once. */
async function handleRequest({ config, database, keys }: LinkRequestDeps, id: string): Promise<void> {
  await database.write(asWorker, async (tx) => {
    const request = await takeRequest(tx, id)
    const email = request && addressIn(keys, request)
    if (!email) return
    await enterAnyone(tx)
    const account = await lockAccountOf(tx, email)
    if (!account) return

    await handlers[request.purpose](tx, account, requestInfoOf(request), config.emailLimits)
  })
}

interface LinkRequest {
  id: string
  purpose: RequestedPurpose
  encrypted_email: Buffer
  network: string
  ip: string
  user_agent: string
  request_id: string
}

async function takeRequest(tx: Tx, id: string): Promise<LinkRequest | undefined> {
  const { rows } = await sql<LinkRequest>`
    delete from link_requests
    where id = any(array(select id from link_requests where id = ${id} for update skip locked))
    returning id, purpose, encrypted_email, network, host(ip) as ip, user_agent, request_id`.execute(tx)
  return rows[0]
}

async function lockAccountOf(tx: Tx, email: string): Promise<Account | undefined> {
  const found = await tx.selectFrom('accounts').select('id').where('email', '=', email).executeTakeFirst()
  const account = found && (await lockAccount(tx, found.id))
  // It may have left the address while this waited for its lock.
  return account?.email === email ? account : undefined
}

/** Undefined: it was encrypted with a secret that is not known any more. */
function addressIn(keys: Keys, { id, encrypted_email }: LinkRequest): string | undefined {
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
const requestInfoOf = ({ ip, network, user_agent, request_id }: LinkRequest): RequestInfo => ({
  ip,
  network,
  userAgent: user_agent,
  requestId: request_id,
  elapsedMs: () => 0,
  isDisconnected: () => false,
  idempotencyKey: undefined,
})
