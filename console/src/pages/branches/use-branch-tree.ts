import { useQueries } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { inCompany } from '../../api/queries.ts'
import { useCompany } from '../../api/use-company.ts'
import { type BranchItem, flatten, type Known, type KnownPart, know } from './tree-rows.ts'

export interface TreeFilters {
  search?: string
  status?: 'active' | 'inactive'
}

/** The longest page that the service gives. One answer has at most about 1,000 branches. */
const LIMIT = 100
/** Up to here a tree is shown whole at first. */
const OPEN_MAX = 60
const ROOT = 'root'

/** The tree as far as it was read: what one answer does not hold is read when its branch is opened. */
export function useBranchTree(filters: TreeFilters) {
  const filter = JSON.stringify(filters)
  const [pages, setPages] = useKept<Record<string, number>>(filter, { [ROOT]: 1 })
  const [toggled, setToggled] = useKept<ReadonlyMap<string, boolean>>(filter, new Map())
  const { parts, first, refetch } = useParts(filters, pages)
  const { known, isOld } = useLastKnown(know(parts), first.data !== undefined)
  const isFiltered = filter !== '{}'
  const isSmall = useFirst(first.data ? known.all.size <= OPEN_MAX : undefined)
  const isOpen = ({ id }: BranchItem) => toggled.get(id) ?? (known.below.has(id) && (isFiltered || Boolean(isSmall)))

  const setOpen = (branches: readonly BranchItem[], open: boolean) => {
    setToggled(new Map([...toggled, ...branches.map(({ id }) => [id, open] as const)]))
    const [only] = branches
    if (open && branches.length === 1 && only && !known.below.has(only.id)) setPages({ ...pages, [only.id]: 1 })
  }
  return {
    known,
    first,
    /** Another filter is on its way. */
    isOld,
    rows: flatten(known, isOpen),
    isOpen,
    setOpen,
    /** All that was read: what was not stays closed, so that this is never a hundred requests. */
    setAllOpen: (open: boolean) =>
      setOpen(
        [...known.all.values()].filter(({ id }) => known.below.has(id)),
        open,
      ),
    more: (parentId: string | null) => setPages({ ...pages, [parentId ?? ROOT]: (pages[parentId ?? ROOT] ?? 1) + 1 }),
    refetch,
  }
}

/** State that begins anew with another filter. */
function useKept<State>(filter: string, initial: State): [State, (next: State) => void] {
  const [kept, setKept] = useState({ filter, state: initial })
  return [kept.filter === filter ? kept.state : initial, (state) => setKept({ filter, state })]
}

/** The first value that is known: a tree that grows by one branch does not close. */
function useFirst<Value>(value: Value | undefined): Value | undefined {
  const kept = useRef(value)
  kept.current ??= value
  return kept.current
}

/** What was there before stays in sight until the answer is there. */
function useLastKnown(known: Known, isRead: boolean): { known: Known; isOld: boolean } {
  const last = useRef<Known>(undefined)
  if (isRead) last.current = known
  return { known: last.current ?? known, isOld: !isRead && last.current !== undefined }
}

function useParts(filters: TreeFilters, pages: Record<string, number>) {
  const { id, scope } = useCompany()
  const wanted = Object.entries(pages).flatMap(([parentId, count]) =>
    Array.from({ length: count }, (_, index) => ({ parentId, page: index + 1 })),
  )
  const answers = useQueries({
    queries: wanted.map(({ parentId, page }) => ({
      queryKey: inCompany(id, 'branch-tree', filters, parentId, page),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        scope.branches.page(
          { ...filters, tree: 'true', limit: LIMIT, page, ...(parentId !== ROOT && { parentId }) },
          { signal },
        ),
      // What stands in another part of the tree is no stand-in for this one.
      placeholderData: undefined,
    })),
  })
  const parts: KnownPart[] = wanted.map(({ parentId, page }, index) => {
    const { data, error } = answers[index] ?? {}
    return { parentId: parentId === ROOT ? null : parentId, page, answer: data, error: error ?? undefined }
  })
  return {
    parts,
    first: answers[0] as (typeof answers)[number],
    refetch: () => void Promise.all(answers.filter(({ error }) => error).map((answer) => answer.refetch())),
  }
}

export type Tree = ReturnType<typeof useBranchTree>
