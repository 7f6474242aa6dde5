import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { BranchItem, BranchRow, Row } from './tree-rows.ts'
import type { Tree } from './use-branch-tree.ts'
import type { Moving } from './use-moving.ts'

const TYPING_MS = 700

export interface TreeActions {
  select: (branch: BranchItem) => void
  edit?: ((branch: BranchItem) => void) | undefined
  remove?: ((branch: BranchItem) => void) | undefined
}

/** One row takes the Tab key, the arrow keys go through them all, as in every tree. */
export function useTreeKeys(tree: Tree, moving: Moving, actions: TreeActions) {
  const { rows } = tree
  const [wanted, setWanted] = useState<string>()
  const elements = useRef(new Map<string, HTMLElement>())
  const isMoved = useRef(false)
  const current = useCurrent(rows, wanted)
  const typed = useTyping()

  const goTo = (row: Row | undefined) => {
    if (!row) return
    isMoved.current = true
    setWanted(row.key)
  }
  useEffect(() => {
    if (!isMoved.current || !current) return
    isMoved.current = false
    elements.current.get(current.key)?.focus()
  })

  const onKeyDown = (event: KeyboardEvent) => {
    if (!current || event.altKey) return
    const at = rows.indexOf(current)
    const handled =
      event.ctrlKey || event.metaKey
        ? withControl(event.key, current, moving)
        : walk(event.key, rows, at, goTo) || fold(event.key, rows, at, tree, goTo) || act(event.key, current, actions)
    if (handled) event.preventDefault()
    else if (event.key === 'Escape' && moving.cut) moving.startCut(undefined)
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) goTo(typed(event.key, rows, at))
  }
  const refOf = (key: string) => (element: HTMLElement | null) => {
    if (element) elements.current.set(key, element)
    return () => void elements.current.delete(key)
  }
  return { current, goTo, onKeyDown, refOf, onFocus: (row: Row) => setWanted(row.key) }
}

/** Where the wanted row is gone, the one in its place. */
function useCurrent(rows: Row[], wanted: string | undefined): Row | undefined {
  const last = useRef(0)
  const at = rows.findIndex(({ key }) => key === wanted)
  if (at >= 0) last.current = at
  return rows[at] ?? rows[Math.min(last.current, rows.length - 1)]
}

function walk(key: string, rows: Row[], at: number, goTo: (row: Row | undefined) => void): boolean {
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[key]
  if (to !== undefined) goTo(rows[to])
  return to !== undefined
}

/** Right opens, then goes in; left closes, then goes out; the asterisk opens all beside each other. */
function fold(key: string, rows: Row[], at: number, tree: Tree, goTo: (row: Row | undefined) => void): boolean {
  const row = rows[at]
  if (!row) return false
  const isOpen = row.kind === 'branch' && row.isOpen
  if (key === 'ArrowRight' && row.kind === 'branch' && row.isParent) {
    if (isOpen) goTo(rows[at + 1])
    else tree.setOpen([row.branch], true)
    return true
  }
  if (key === 'ArrowLeft') {
    if (isOpen) tree.setOpen([row.branch], false)
    else goTo(rows.find((each) => each.key === row.parentId))
    return true
  }
  if (key !== '*') return false
  const beside = rows.filter((each) => each.kind === 'branch').filter(({ parentId }) => parentId === row.parentId)
  tree.setOpen(
    beside.filter(({ isParent, branch }) => isParent && tree.known.below.has(branch.id)).map(({ branch }) => branch),
    true,
  )
  return true
}

function act(key: string, row: Row, { select, edit, remove }: TreeActions): boolean {
  if (row.kind !== 'branch') return false
  if (key === 'Enter' || key === ' ') select(row.branch)
  else if (key === 'F2' && edit) edit(row.branch)
  else if (key === 'Delete' && remove) remove(row.branch)
  else return false
  return true
}

function withControl(key: string, row: Row, moving: Moving): boolean {
  if (row.kind !== 'branch' || !moving.isAllowed) return false
  if (key === 'x') moving.startCut(row.branch)
  else if (key === 'v' && moving.cut) void moving.drop(moving.cut, row.branch)
  else return false
  return true
}

/** The next branch whose name begins with what was typed within a moment. */
function useTyping() {
  const text = useRef({ value: '', at: 0 })
  return (letter: string, rows: Row[], at: number): Row | undefined => {
    const now = performance.now()
    const isGoingOn = now - text.current.at < TYPING_MS
    text.current = { value: (isGoingOn ? text.current.value : '') + letter.toLowerCase(), at: now }
    const { value } = text.current
    const from = value.length > 1 ? at : at + 1
    const branches = [...rows.slice(from), ...rows.slice(0, from)].filter(
      (row): row is BranchRow => row.kind === 'branch',
    )
    return branches.find(({ branch }) => branch.name.toLowerCase().startsWith(value))
  }
}
