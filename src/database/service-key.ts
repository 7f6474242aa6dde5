/** A key that nodes sign with, or have signed the audit log with lately. */
export interface KeyInUse {
  kid: string
  /** Of the nodes that sign with it and were seen within a minute. */
  hosts: string[]
  /** How much of the audit log is signed with it, up to a bound. */
  signatures: number
}

/**
 * The keys in use, the one of the service first: the one that most of the audit log is signed with, then the oldest. So a wrong
 * secret does not prevail, nor a former one that a node has still got. What no node signs with any more counts for a
 * day, and while the secret of `$1`, ids of accepted keys, has been known for less than that: afterwards the service
 * goes on with a secret that replaced another one without a rotation. While that one is in use, the former one comes right after
 * it, whatever was signed with it.
 */
export const KEYS_IN_USE = `
  with known as (
    select kid, first_seen_at, superseded_by,
      array(select distinct host from nodes where signing_kid = signing_keys.kid and stopped_at is null
        and seen_at > now() - interval '1 minute' order by host) as hosts,
      (select count(*)::int
        from audit_signed_with(signing_keys.kid, '00000000-0000-0000-0000-000000000000', -1, 1000)) as signatures,
      last_seen_at > now() - interval '1 day' or not exists (
        select from signing_keys known where known.kid = any ($1::text[])
          and known.first_seen_at <= now() - interval '1 day') as is_recent
    from signing_keys
  ), used as (
    select * from known where hosts <> '{}' or (signatures > 0 and is_recent)
  )
  select used.kid, used.hosts, used.signatures
  from used left join used successors on successors.kid = used.superseded_by
  order by coalesce(successors.signatures, used.signatures) desc, coalesce(successors.first_seen_at, used.first_seen_at),
    coalesce(successors.kid, used.kid), successors.kid is not null`

/** A running node as its report says: what it signs with, and whose signatures it accepts. */
export interface NodeKeys {
  host: string
  signing_kid: string
  accepted_kids: string[]
}

export const RUNNING_NODES = `
  select host, signing_kid, accepted_kids from nodes
  where stopped_at is null and seen_at > now() - interval '1 minute'
  order by host, started_at`

/** All that is known about the secrets of the service. */
export interface KnownKeys {
  /** The one of the service first. */
  inUse: KeyInUse[]
  nodes: NodeKeys[]
}

/**
 * One sentence that says why a process with these keys, the one that signs first, may not sign for the service; undefined: it may.
 * Not before all others accept the key: what has been signed with a typing error made in a rotation could be verified by no
 * node that has the right secret.
 */
export function whyForeign({ inUse, nodes }: KnownKeys, acceptedKids: string[]): string | undefined {
  const [key] = inUse
  const [current = ''] = acceptedKids
  if (!key || key.kid === current) return undefined
  if (!acceptedKids.includes(key.kid)) return sentenceOf(key)
  const refusing = nodes.filter(({ accepted_kids: kids }) => kids.includes(key.kid) && !kids.includes(current))
  if (refusing.length === 0) return undefined
  const hosts = [...new Set(refusing.map(({ host }) => host))]
  return `APP_SECRET gives the key ${current}, which ${hosts.join(', ')} ${hosts.length > 1 ? 'do' : 'does'} not accept: the secrets differ, or this one was not APP_SECRET_PREVIOUS there first. tenantry secret rotate says what to do`
}

function sentenceOf({ kid, hosts, signatures }: KeyInUse): string {
  const uses = [hosts.length > 0 && signing(hosts), signatures > 0 && 'the audit log is signed']
  return `APP_SECRET is not the one of the service: neither it nor APP_SECRET_PREVIOUS gives the key ${kid}, with which ${uses.filter(Boolean).join(' and ')}. Set the right one, or where it was replaced the former one as APP_SECRET_PREVIOUS`
}

/** Whether a process with these keys leaves emails to running nodes that have a better secret. */
export function leavesEmails(known: KnownKeys, acceptedKids: string[]): boolean {
  const rank = (kids: string[]) => {
    if (whyForeign(known, kids) === undefined) return 2
    return known.inUse.some(({ kid }, index) => index === 0 && kids.includes(kid)) ? 1 : 0
  }
  const own = rank(acceptedKids)
  return known.nodes.some(({ signing_kid, accepted_kids }) => rank([signing_kid, ...accepted_kids]) > own)
}

/** One sentence for each key that running nodes sign with and that is not accepted here. */
export const refusedKeys = (inUse: KeyInUse[], acceptedKids: string[]): string[] =>
  inUse
    .filter(({ kid, hosts }) => hosts.length > 0 && !acceptedKids.includes(kid))
    .map(
      ({ kid, hosts }) =>
        `${signing(hosts)} with the key ${kid}, which neither APP_SECRET nor APP_SECRET_PREVIOUS gives here: all nodes need the same secret`,
    )

const signing = (hosts: string[]): string => `${hosts.join(', ')} ${hosts.length > 1 ? 'sign' : 'signs'}`
