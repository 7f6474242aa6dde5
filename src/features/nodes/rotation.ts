import { ACCESS_TOKEN_SECONDS, REFRESH_TOKEN_DAYS } from '../accounts/tokens.ts'
import { type RotationState, type RunningNode, SEEN_SECONDS_MAX, type UsedKey } from './rotation-state.ts'

/** Other services keep the published keys for 5 minutes, and access tokens of before live for 15. */
const PUBLISHED_MS = ACCESS_TOKEN_SECONDS * 1000
/**
 * What lives longest of all that a key protects: refresh tokens and the links that undo a change of address. A node that
 * was killed may have signed for a while after its last report.
 */
const SIGNED_MS = REFRESH_TOKEN_DAYS * 86_400_000 + SEEN_SECONDS_MAX * 1000

export type RotationStep =
  | 'not_running'
  | 'fix'
  | 'idle'
  | 'publish'
  | 'wait_for_caches'
  | 'swap'
  | 'wait_for_expiry'
  | 'remove'

/** Where a rotation of APP_SECRET stands, and what the operator does next. */
export interface Rotation {
  step: RotationStep
  next: string
  /** When the wait is over at the earliest. */
  until?: string
  /** What would cost callers a 401, or can't be verified any more. */
  problems: string[]
}

/** Judges by the reports alone, so it is right whatever an operator did by hand. */
export function judgeRotation(state: RotationState): Rotation {
  const { nodes } = state
  const signing = distinct(nodes.map(({ signing_kid }) => signing_kid))
  const [current] = signing
  if (current === undefined)
    return { step: 'not_running', next: 'Start the service: no node was seen in the last minute.', problems: [] }
  const problems = problemsOf(state)
  const fix = fixOf(state)
  if (fix) return { ...fix, problems }
  const others = distinct(nodes.flatMap(({ accepted_kids }) => accepted_kids)).filter((kid) => kid !== current)
  const [other] = others
  if (signing.length > 1) return { ...swapping(state, signing), problems }
  if (other === undefined)
    return {
      step: 'idle',
      next: 'To rotate, make a new secret, give it to every node as APP_SECRET_PREVIOUS, and restart them one by one.',
      problems,
    }
  const former = state.keys.find(({ kid }) => kid === other)
  return { ...(former ? expiring(state, former) : publishing(state, other)), problems }
}

type Judgement = Omit<Rotation, 'problems'>

/** While one node refuses what another signs, each step would cost more callers a 401. */
function fixOf({ nodes, serviceKid = '' }: RotationState): Judgement | undefined {
  const accepts = (by: RunningNode, of: RunningNode) => by.accepted_kids.includes(of.signing_kid)
  const right = nodes.filter(({ accepted_kids }) => accepted_kids.includes(serviceKid))
  const signing = right.filter(({ signing_kid }) => signing_kid === serviceKid)
  if (right.length > 0 && right.length < nodes.length)
    return replaced(except(nodes, right), signing.length > 0 ? signing : right)
  const apart = nodes.filter((of) => nodes.some((by) => !accepts(by, of) && !accepts(of, by)))
  if (apart.length > 0) {
    const known = apart.filter((of) => nodes.some((by) => by.signing_kid !== of.signing_kid && accepts(by, of)))
    if (known.length > 0 && known.length < apart.length) return replaced(except(apart, known), known)
    return {
      step: 'fix',
      next: `Give ${named(apart)} the same APP_SECRET, and restart: each refuses what another signs.`,
    }
  }
  const behind = nodes.filter((by) => nodes.some((of) => !accepts(by, of)))
  if (behind.length === 0) return undefined
  const refused = nodes.filter((of) => behind.some((by) => !accepts(by, of)))
  return {
    step: 'fix',
    next: `Give ${named(behind)} the APP_SECRET of ${named(refused)} as APP_SECRET_PREVIOUS, and restart.`,
  }
}

const except = (nodes: RunningNode[], others: RunningNode[]) => nodes.filter((node) => !others.includes(node))

const replaced = (wrong: RunningNode[], right: RunningNode[]): Judgement => ({
  step: 'fix',
  next: `Give ${named(wrong)} the same APP_SECRET as ${named(right)}, and restart: its secret is another one.`,
})

/** The new secret is accepted by nodes that sign with the former one. */
function publishing({ now, nodes }: RotationState, kid: string): Judgement {
  const missing = nodes.filter(({ accepted_kids }) => !accepted_kids.includes(kid))
  if (missing.length > 0)
    return { step: 'publish', next: `Give the new secret as APP_SECRET_PREVIOUS to ${hosts(missing)} as well.` }
  const until = after(latest(nodes.map(({ started_at }) => started_at)), PUBLISHED_MS)
  if (now < until) return { step: 'wait_for_caches', until, next: 'Wait until other services have read the new key.' }
  return {
    step: 'swap',
    next: 'Exchange APP_SECRET and APP_SECRET_PREVIOUS on every node, and restart them one by one.',
  }
}

function swapping({ nodes, keys }: RotationState, signing: string[]): Judgement {
  const oldest = keys.find(({ kid }) => signing.includes(kid))?.kid
  const behind = nodes.filter(({ signing_kid }) => signing_kid === oldest)
  return { step: 'swap', next: `Exchange APP_SECRET and APP_SECRET_PREVIOUS on ${hosts(behind)} as well.` }
}

/** The former secret is still accepted, and no node signs with it. */
function expiring(
  { now, sealed }: RotationState,
  { kid, last_seen_at, signs_audit, signs_invitations }: UsedKey,
): Judgement {
  const until = after(last_seen_at, SIGNED_MS)
  if (now < until)
    return { step: 'wait_for_expiry', until, next: 'Wait until what the former secret has signed has expired.' }
  if (signs_audit)
    return {
      step: 'wait_for_expiry',
      next: 'Wait until the audit log is signed anew. What is left after some minutes was changed: verify it.',
    }
  const left = sealed.find((by) => by.kid === kid)?.count ?? 0
  if (left > 0)
    return {
      step: 'wait_for_expiry',
      next: `Wait until ${left} stored secrets are sealed anew, which takes some minutes. The log names what can't be.`,
    }
  if (signs_invitations)
    return {
      step: 'wait_for_expiry',
      next: 'Wait until the invitations that were sent with the former secret have been answered or sent again, or have expired: 30 days at most.',
    }
  return { step: 'remove', next: 'Remove APP_SECRET_PREVIOUS from every node, and restart them one by one.' }
}

function problemsOf({ nodes, keys, sealed }: RotationState): string[] {
  const accepted = new Set(nodes.flatMap(({ accepted_kids }) => accepted_kids))
  const refused = nodes.flatMap((by) =>
    nodes
      .filter(({ signing_kid }) => !by.accepted_kids.includes(signing_kid))
      .map((of) => `${by.host} refuses the tokens of ${of.host}: it does not know the key ${of.signing_kid}.`),
  )
  const lost = keys
    .filter(({ kid, signs_audit }) => signs_audit && !accepted.has(kid))
    .map(({ kid }) => `The audit log has signatures by the key ${kid}, whose secret no node has.`)
  const closed = sealed
    .filter(({ kid }) => !accepted.has(kid))
    .map(({ kid, count }) => `${count} stored secrets are sealed by the key ${kid}, whose secret no node has.`)
  return distinct([...refused, ...lost, ...closed])
}

const distinct = (texts: string[]): string[] => [...new Set(texts)]
const hosts = (nodes: RunningNode[]): string => distinct(nodes.map(({ host }) => host)).join(', ')
/** With the first letters of the key, because several nodes may have one host. */
const named = (nodes: RunningNode[]): string =>
  distinct(nodes.map(({ host, signing_kid }) => `${host} (signs with ${signing_kid.slice(0, 8)})`)).join(', ')
const latest = (times: string[]): string => times.toSorted().at(-1) as string
const after = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString()
