import type { components, Page } from '@tenantry/client'

export type BranchItem = components['schemas']['BranchItem']

/** One answer of the service: branches directly below a parent, with what is below them. */
export interface KnownPart {
  parentId: string | null
  page: number
  answer: Page<BranchItem> | undefined
  error: unknown
}

export interface Known {
  all: ReadonlyMap<string, BranchItem>
  /** By parent, null for the top. A parent that is not here has not been read. */
  below: ReadonlyMap<string | null, readonly BranchItem[]>
  /** Branches below this parent that further pages hold. */
  missing: ReadonlyMap<string | null, number>
  pending: ReadonlySet<string | null>
  failed: ReadonlySet<string | null>
}

export function know(parts: readonly KnownPart[]): Known {
  const all = new Map<string, BranchItem>()
  const below = new Map<string | null, BranchItem[]>()
  const enter = (branch: BranchItem) => {
    all.set(branch.id, branch)
    if (!branch.children) return
    below.set(branch.id, branch.children)
    branch.children.forEach(enter)
  }
  for (const { answer } of parts) answer?.items.forEach(enter)
  const missing = new Map<string | null, number>()
  for (const { parentId, page, answer } of parts) {
    if (!answer) continue
    const before = page === 1 ? [] : (below.get(parentId) ?? [])
    const seen = new Set(before.map(({ id }) => id))
    below.set(parentId, [...before, ...answer.items.filter(({ id }) => !seen.has(id))])
    missing.set(parentId, Math.max(0, answer.total - answer.page * answer.limit))
  }
  const parentsWhere = (isIt: (part: KnownPart) => boolean) => new Set(parts.filter(isIt).map((part) => part.parentId))
  return {
    all,
    below,
    missing,
    pending: parentsWhere(({ answer, error }) => !answer && !error),
    failed: parentsWhere(({ answer, error }) => !answer && Boolean(error)),
  }
}

interface Place {
  /** Of the element, and what the keyboard goes by. */
  key: string
  level: number
  position: number
  size: number
  parentId: string | null
}

export type BranchRow = Place & { kind: 'branch'; branch: BranchItem; isParent: boolean; isOpen: boolean }
/** Further branches below the same parent: to be read, on their way, or not to be had. */
export type MoreRow = Place & { kind: 'more' | 'pending' | 'failed'; count: number }
export type Row = BranchRow | MoreRow

/** What is in sight, from top to bottom. */
export function flatten(known: Known, isOpen: (branch: BranchItem) => boolean): Row[] {
  const rows: Row[] = []
  const add = (parentId: string | null, level: number) => {
    const children = known.below.get(parentId) ?? []
    const rest = restOf(known, parentId)
    const size = children.length + (rest ? 1 : 0)
    children.forEach((branch, index) => {
      const isParent = known.below.has(branch.id) ? Boolean(known.below.get(branch.id)?.length) : branch.childCount > 0
      const row = { kind: 'branch', key: branch.id, branch, level, position: index + 1, size, parentId } as const
      rows.push({ ...row, isParent, isOpen: isParent && isOpen(branch) })
      if (isParent && isOpen(branch)) add(branch.id, level + 1)
    })
    if (rest) rows.push({ ...rest, key: `${rest.kind} ${parentId}`, level, position: size, size, parentId })
  }
  add(null, 1)
  return rows
}

function restOf(known: Known, parentId: string | null): Pick<MoreRow, 'kind' | 'count'> | undefined {
  if (known.pending.has(parentId)) return { kind: 'pending', count: 0 }
  if (known.failed.has(parentId)) return { kind: 'failed', count: 0 }
  const count = known.missing.get(parentId) ?? 0
  return count > 0 ? { kind: 'more', count } : undefined
}

/** Whether `branch` is `other` or somewhere below it, as far as the tree is known. */
export function isAtOrBelow(known: Known, branch: BranchItem, other: BranchItem): boolean {
  for (let each: BranchItem | undefined = branch; each; each = each.parentId ? known.all.get(each.parentId) : undefined)
    if (each.id === other.id) return true
  return false
}

/** From the top down to the parent of the branch. */
export function pathTo(known: Known, branch: BranchItem): BranchItem[] {
  const parent = branch.parentId ? known.all.get(branch.parentId) : undefined
  return parent ? [...pathTo(known, parent), parent] : []
}
