import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { namedDevice } from '../../lib/devices.ts'
import { newId } from '../../lib/ids.ts'
import { hasRecentSignInFrom, KNOWN_NETWORK_DAYS } from '../accounts/password-attempts.ts'

/**
 * Tells the owner by email of a sign-in from a network and with a device that are both new to the account. Called before the
 * session is created, which it must not find. One statement, which travels with those of the session. At the limit the email is left
 * out: the owner has several by then, and nothing that an intruder does may keep the owner from signing in.
 *
 * The network is known by a sign-in within 30 days, as it is where guessing is counted; a new password leaves only the one that it
 * was chosen in. The device is known by a session with the same User-Agent that has ended by itself or by signing out, or goes
 * on: one that was ended for safety says nothing for its device. Without a User-Agent no device is known.
 *
 * A new account, of which there is no trace, signs in for the first time. An older one may have been used before the traces were
 * deleted, and a sign-in after so long is what its owner wants to know of.
 */
export async function notifyOfNewSignIn(
  tx: Tx,
  { emailLimits }: Config,
  accountId: string,
  { ip, network, userAgent }: RequestInfo,
): Promise<void> {
  await sql`
    select enqueue_email(${newId()}, 'new_sign_in', accounts.email, accounts.name, accounts.locale,
      jsonb_build_object(
        'at', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'timezone', accounts.timezone,
        'address', ${ip}::text, 'device', ${namedDevice(userAgent)}::text),
      null, now() + interval '24 hours', null, null, ${emailLimits.perRecipient}, null, null)
    from accounts
    where accounts.id = ${accountId}
      and not ${hasRecentSignInFrom(network)}
      and not exists (
        select from sessions where account_id = accounts.id and user_agent = ${userAgent} and user_agent <> ''
          and (revoked_at is null or revoked_reason in ('signed_out', 'response_lost')))
      and (
        accounts.created_at < now() - make_interval(days => ${KNOWN_NETWORK_DAYS})
        or exists (select from known_networks where account_id = accounts.id)
        or exists (select from sessions where account_id = accounts.id))`.execute(tx)
}
