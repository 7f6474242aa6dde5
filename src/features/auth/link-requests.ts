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
import type { RequestedPurpose } from './send-requested-link.ts'

/** Each decides whether the account that has the address gets the link, and sends it. */
const handlers: Record<RequestedPurpose, typeof sendPasswordReset> = {
  reset_password: sendPasswordReset,
  confirm_email: sendConfirmation,
}

/** Waiting requests per purpose, address and network. The worker handles them within a second, so more are never needed. */
const WAITING_MAX = 5

/**
 * Requests a link for an address. The worker looks up the account after the response, so neither the content nor the
 * duration of the response reveals whether an account has the address. Waiting requests are limited per network, so that
 * requests from other networks can't keep the account's owner from requesting a link.
 */
export async function requestLink(
  { database, keys }: Pick<Deps, 'database' | 'keys'>,
  purpose: RequestedPurpose,
  email: string,
  { ip, network, userAgent, requestId }: RequestInfo,
): Promise<void> {
  const id = newId()
  const mac = keys.current.mac('recovered address v1', email)
  const sealed = encrypt(requestKey(keys.current, id), Buffer.from(id), email)
  await sql`
    insert into link_requests (id, purpose, email_mac, encrypted_email, network, ip, user_agent, request_id)
    select ${id}::uuid, ${purpose}::text, ${mac}::bytea, ${sealed}::bytea, ${network}::cidr, ${ip}::inet, ${userAgent}::text, ${requestId}::text
    where (
      select count(*) from link_requests
      where purpose = ${purpose}::text and email_mac = ${mac}::bytea and network = ${network}::cidr
    ) < ${WAITING_MAX}`.execute(database.autocommit(asAnyone))
}

export type LinkRequestDeps = Pick<Deps, 'config' | 'database' | 'keys'> & {
  /** Called when handling a request failed; the worker retries it. */
  onFailure(error: unknown, requestId: string): void
}

const REQUESTS_AT_ONCE = 200

/** Handles waiting requests and resolves to their number. Any number of workers can do this at the same time. */
export async function handleLinkRequests(deps: LinkRequestDeps): Promise<number> {
  const ids = await findDueRequests(deps.database)
  for (const id of ids) {
    try {
      await handleRequest(deps, id)
    } catch (error) {
      await postponeRequest(deps.database, id)
      deps.onFailure(error, id)
    }
  }
  return ids.length
}

/** Skips requests that waited for an hour because no worker ran: their senders no longer expect the link. */
async function findDueRequests(database: Database): Promise<string[]> {
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

async function postponeRequest(database: Database, id: string): Promise<void> {
  await database
    .autocommit(asWorker)
    .updateTable('link_requests')
    .set({ retry_at: sql`now() + interval '30 seconds'` })
    .where('id', '=', id)
    .execute()
}

/** Deletes the request in the transaction that enqueues its email, so that exactly one worker handles it, once. */
async function handleRequest({ config, database, keys }: LinkRequestDeps, id: string): Promise<void> {
  await database.write(asWorker, async (tx) => {
    const request = await claimRequest(tx, id)
    const email = request && decryptEmail(keys, request)
    if (!email) return
    await enterAnyone(tx)
    const account = await lockAccountByEmail(tx, email)
    if (!account) return

    await handlers[request.purpose](tx, account, toRequestInfo(request), config.emailLimits)
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

async function claimRequest(tx: Tx, id: string): Promise<LinkRequest | undefined> {
  const { rows } = await sql<LinkRequest>`
    delete from link_requests
    where id = any(array(select id from link_requests where id = ${id} for update skip locked))
    returning id, purpose, encrypted_email, network, host(ip) as ip, user_agent, request_id`.execute(tx)
  return rows[0]
}

async function lockAccountByEmail(tx: Tx, email: string): Promise<Account | undefined> {
  const found = await tx.selectFrom('accounts').select('id').where('email', '=', email).executeTakeFirst()
  const account = found && (await lockAccount(tx, found.id))
  // The account may have changed its address while this transaction waited for the lock.
  return account?.email === email ? account : undefined
}

/** Undefined when the secret that encrypted the address is no longer accepted. */
function decryptEmail(keys: Keys, { id, encrypted_email }: LinkRequest): string | undefined {
  for (const keySet of keys.accepted) {
    try {
      return decrypt(requestKey(keySet, id), Buffer.from(id), encrypted_email)
    } catch {
      // Another accepted secret encrypted it.
    }
  }
  return undefined
}

/** Each row has its own key. */
const requestKey = (keySet: KeySet, id: string) => keySet.mac('recovery request v1', id)

/** The sender of the request, for the audit record. */
const toRequestInfo = ({ ip, network, user_agent, request_id }: LinkRequest): RequestInfo => ({
  ip,
  network,
  userAgent: user_agent,
  requestId: request_id,
  elapsedMs: () => 0,
  isDisconnected: () => false,
  idempotencyKey: undefined,
})
