import type { Database } from '../../database/open.ts'
import { asAnyone } from '../../database/scopes.ts'
import { NIL_UUID } from '../../lib/ids.ts'
import { BLOCKED_SECONDS, KNOWN_NETWORK_DAYS } from './password-attempts.ts'
import { IS_USABLE, type StoredPassword } from './passwords.ts'

/** What a sign-in needs to know of an account before it hashes. */
export interface AccountToSignIn {
  id: string
  name: string
  /** The account signed in from the caller's network recently. */
  isNetworkKnown: boolean
  hasSecondFactor: boolean
  /** Those that sign in to it now, at most two; a disabled account has none. */
  passwords: readonly StoredPassword[]
}

interface Found {
  account: AccountToSignIn | undefined
  /** Some account signed in from the caller's network recently, this one or another. */
  isNetworkUsed: boolean
  /** For how long attempts with this address are blocked. */
  blockedSeconds: number
}

/** One statement, which looks for passwords of an unknown address, too, so that both cases take the same time. */
export async function findByEmail(database: Database, email: string, network: string): Promise<Found> {
  const [row] = await database.query<Row>(asAnyone, { sql: FIND, parameters: [email, network] })
  const { id, blockedSeconds, isNetworkUsed, ...account } = row as Row
  const found = id === null ? undefined : { id, ...account }
  return { account: found, isNetworkUsed, blockedSeconds: Math.max(0, blockedSeconds ?? 0) }
}

type Row = Omit<AccountToSignIn, 'id'> & { id: string | null; isNetworkUsed: boolean; blockedSeconds: number | null }

const FIND = `
  select accounts.id, accounts.name, accounts.has_second_factor as "hasSecondFactor",
    exists (
      select from known_networks
      where account_id = coalesce(accounts.id, '${NIL_UUID}') and network = $2
        and last_sign_in_at > now() - make_interval(days => ${KNOWN_NETWORK_DAYS})) as "isNetworkKnown",
    -- Sorted, so that the planner never reads the table for a network that is in many rows.
    coalesce((
      select last_sign_in_at > now() - make_interval(days => ${KNOWN_NETWORK_DAYS}) from known_networks
      where network = $2 order by last_sign_in_at desc limit 1), false) as "isNetworkUsed",
    (
      select coalesce(json_agg(json_build_object('kind', kind, 'hash', hash, 'verifiesEmail', emailed) order by kind), '[]')
      from passwords
      where account_id = coalesce(accounts.id, '${NIL_UUID}') and accounts.disabled_at is null
        and ${IS_USABLE}
    ) as passwords,
    (select ${BLOCKED_SECONDS} from password_attempts where email = $1) as "blockedSeconds"
  from (select) as always left join accounts on accounts.email = $1`
