import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { RequestInfo } from '../../access/actors.ts'
import { limitLockWait } from '../../database/lock-wait.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asWorker, enterAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { type BackgroundLoop, startBackgroundLoop } from '../../lib/background.ts'
import { decrypt } from '../../lib/encryption.ts'
import type { Keys } from '../../lib/keys.ts'
import { partOf } from '../../lib/processes.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import { type Account, lockAccount } from '../accounts/accounts.ts'
import { requestKey } from './link-requests.ts'
import { sendConfirmation } from './resend-confirmation.ts'
import { sendPasswordReset } from './send-password-reset.ts'
import type { RequestedPurpose } from './send-requested-link.ts'

const INTERVAL_MS = 300
const BACK_OFF = { firstMs: 1000, maxMs: 5000 }

/** Each decides whether the account that has the address gets the link, and sends it. */
const handlers: Record<RequestedPurpose, typeof sendPasswordReset> = {
  reset_password: sendPasswordReset,
  confirm_email: sendConfirmation,
}

export type LinkRequestDeps = Pick<Deps, 'config' | 'database' | 'keys'> & {
  /** Called when handling a request failed; the worker retries it. */
  onFailure(error: unknown, requestId: string): void
}

/** Any number of processes may do so at once. */
export function startLinkRequestsWorker({ log, ...deps }: Omit<LinkRequestDeps, 'onFailure'> & { log: Logger }) {
  const onFailure = (error: unknown, request: string) =>
    log.error({ err: error, request }, 'handling a request for a link failed')
  const turn = { last: FIRST }
  const loop: BackgroundLoop = startBackgroundLoop({
    name: 'link requests worker',
    log,
    async round() {
      const handled = await handleLinkRequests({ ...deps, onFailure }, turn)
      // One share may have more, or others come behind. What fails is postponed, so this ends.
      if (handled >= ROUND_OF_SHARE_MAX || turn.last !== FIRST) loop.nudge()
    },
    intervalMs: INTERVAL_MS,
    backOff: BACK_OFF,
  })
  return loop
}

/** So few that a request which comes during a flood soon has its turn. As many shares have a turn in a round. */
const ROUND_MAX = 100
const ROUND_OF_SHARE_MAX = 20
/** Of the connections of transactions, of which a node has 8: a request may wait for the lock of an account. */
const AT_ONCE_MAX = 3
/** Long enough for a sign-in that is being committed. Each locked account delays the others by that at most. */
const LOCK_WAIT_MS = 300

/** Before each share, as PostgreSQL sorts networks. */
const FIRST = '0.0.0.0/0'

/** Where the rounds of a worker are: the share that had its turn last. */
interface Turn {
  last: string
}

/**
 * Handles requests of the next shares and resolves to their number. Any number of workers can do this at the same time.
 */
export async function handleLinkRequests(deps: LinkRequestDeps, turn: Turn = { last: FIRST }): Promise<number> {
  const { ids, last } = await findDueRequests(deps.database, turn)
  turn.last = last ?? FIRST
  const inTurn = createSemaphore(partOf(AT_ONCE_MAX, deps.config.workers))
  await Promise.all(
    ids.map((id) =>
      inTurn(() =>
        handleRequest(deps, id).catch(async (error: unknown) => {
          await postponeRequest(deps.database, id)
          deps.onFailure(error, id)
        }),
      ),
    ),
  )
  return ids.length
}

/**
 * The networks take turns (docs/decisions/0018-fair-shares.md): the first request of each comes before the second one of any. It
 * steps from share to share by the index and goes on where the round before ended, so that a round costs neither what waits nor what
 * there are shares. `last`: null when no share comes after.
 *
 * Skips requests that waited for an hour because no worker ran: their senders no longer expect the link.
 */
async function findDueRequests(database: Database, { last }: Turn): Promise<{ ids: string[]; last: string | null }> {
  const { rows } = await sql<{ ids: string[]; last: string | null }>`
    with recursive steps as (
      (select share, 1 as number from link_requests where share > ${last}::cidr order by share limit 1)
      union all
      select (select later.share from link_requests later where later.share > steps.share order by later.share limit 1),
        number + 1
      from steps where steps.share is not null and number < ${ROUND_MAX}
    ), shares as materialized (select share, number from steps where share is not null)
    select (select share::text from shares where number = ${ROUND_MAX}) as last, array(
      select due.id from shares cross join lateral (
        select id, retry_at, row_number() over (order by retry_at, id) as turn
        from (
          select id, retry_at from link_requests
          where share = shares.share and retry_at <= now() and created_at > now() - interval '1 hour'
          order by retry_at, id limit ${ROUND_OF_SHARE_MAX}
        ) first
      ) due
      order by turn, retry_at, id
      limit ${ROUND_MAX}) as ids`.execute(database.autocommit(asWorker))
  return rows[0] ?? { ids: [], last: null }
}

async function postponeRequest(database: Database, id: string): Promise<void> {
  await database
    .autocommit(asWorker)
    .updateTable('link_requests')
    .set({ retry_at: sql`now() + interval '10 seconds'` })
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
  if (!found) return undefined
  await limitLockWait(tx, LOCK_WAIT_MS)
  const account = await lockAccount(tx, found.id)
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
