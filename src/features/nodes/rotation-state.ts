import { sql } from 'kysely'
import type { Database, Tx } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import { asWorker } from '../../database/scopes.ts'
import { COUNT_SEALED } from '../../database/sealed-columns.ts'
import { KEYS_IN_USE, type KeyInUse } from '../../database/service-key.ts'

/** A node that was not seen for longer has ended without notice. */
export const SEEN_SECONDS_MAX = 60

export interface RunningNode {
  host: string
  version: string
  signing_kid: string
  accepted_kids: string[]
  started_at: string
  seen_at: string
}

/** A key that nodes have signed with. */
export interface UsedKey {
  kid: string
  first_seen_at: string
  last_seen_at: string
  /** Whether the audit log has signatures by this key. */
  signs_audit: boolean
  /** Whether the link of a pending invitation may be signed by this key. */
  signs_invitations: boolean
}

export interface RotationState {
  /** By the database's clock. */
  now: string
  nodes: RunningNode[]
  keys: UsedKey[]
  /** How many stored secrets each key has sealed. */
  sealed: SealedByKey[]
  /** The key of the service, of those that running nodes accept; undefined: no node runs. */
  serviceKid: string | undefined
}

interface SealedByKey {
  kid: string
  count: number
}

/** What the nodes report, and which keys have signed. */
export async function readRotationState(database: Database): Promise<RotationState> {
  return database.write(asWorker, async (tx) => {
    const nodes = await findRunningNodes(tx)
    const { rows: keys } = await sql<UsedKey>`select kid, first_seen_at, last_seen_at,
      exists (select from audit_signed_with(kid, '00000000-0000-0000-0000-000000000000', -1, 1)) as signs_audit,
      has_pending_invitation_before(last_seen_at) as signs_invitations
      from signing_keys order by first_seen_at, kid`.execute(tx)
    const sealed = (await countSealed(tx)).map(({ kid, count }) => ({
      kid: Buffer.from(kid, 'hex').toString('base64url'),
      count,
    }))
    const accepted = new Set(nodes.flatMap(({ accepted_kids }) => accepted_kids))
    const serviceKid = (await selectKeysInUse(tx, [])).find(({ kid }) => accepted.has(kid))?.kid
    const { rows } = await sql<{ now: string }>`select now()`.execute(tx)
    return { now: (rows[0] as { now: string }).now, nodes, keys, sealed, serviceKid }
  })
}

const selectKeysInUse = statement<KeyInUse, [acceptedKids: string[]]>(KEYS_IN_USE)
const countSealed = statement<SealedByKey>(COUNT_SEALED)

const findRunningNodes = (tx: Tx): Promise<RunningNode[]> =>
  tx
    .selectFrom('nodes')
    .select(['host', 'version', 'signing_kid', 'accepted_kids', 'started_at', 'seen_at'])
    .where('stopped_at', 'is', null)
    .where('seen_at', '>', sql<string>`now() - make_interval(secs => ${sql.lit(SEEN_SECONDS_MAX)})`)
    .orderBy('host')
    .orderBy('started_at')
    .execute()
