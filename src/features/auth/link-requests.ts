import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import { asAnyoneFrom } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { encrypt } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import type { KeySet } from '../../lib/keys.ts'
import { addressOf, shareOf } from '../../lib/networks.ts'
import type { RequestedPurpose } from './send-requested-link.ts'

/** Waiting requests per purpose, address and network. The worker handles them within a second, so more are never needed. */
const WAITING_MAX = 5
/** Waiting requests of the networks of one share, for all addresses: so few keep the table small during a flood. */
const WAITING_OF_SHARE_MAX = 200

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
  const share = shareOf(addressOf(network))
  const sealed = encrypt(requestKey(keys.current, id), Buffer.from(id), email)
  await sql`
    insert into link_requests (id, purpose, email_mac, encrypted_email, network, ip, user_agent, request_id)
    select ${id}::uuid, ${purpose}::text, ${mac}::bytea, ${sealed}::bytea, ${network}::cidr, ${ip}::inet, ${userAgent}::text, ${requestId}::text
    where (
      select count(*) from link_requests
      where purpose = ${purpose}::text and email_mac = ${mac}::bytea and network = ${network}::cidr
    ) < ${WAITING_MAX}
    and (
      select count(*) from (
        select from link_requests where share = ${share}::cidr limit ${WAITING_OF_SHARE_MAX}
      ) waiting
    ) < ${WAITING_OF_SHARE_MAX}`.execute(database.autocommit(asAnyoneFrom(network)))
}

/** Each row has its own key. */
export const requestKey = (keySet: KeySet, id: string) => keySet.mac('recovery request v1', id)
