import { type DragEvent, type RefCallback, useEffect, useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Badge } from '../../ui/Badge.tsx'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/Icon.tsx'
import styles from './branches.module.css'
import { Marked } from './Marked.tsx'
import type { BranchRow, MoreRow, Row } from './tree-rows.ts'
import type { Tree } from './use-branch-tree.ts'
import type { Moving } from './use-moving.ts'

/** A branch that something is held over opens after this. */
const HOVER_MS = 700

interface Shared {
  tree: Tree
  tabIndex: number
  ref: RefCallback<HTMLElement>
  onFocus: () => void
}

const placeOf = ({ level, position, size }: Row) => ({
  style: { '--level': level } as object,
  'aria-level': level,
  'aria-posinset': position,
  'aria-setsize': size,
})

interface BranchProps extends Shared {
  row: BranchRow
  moving: Moving
  search: string
  isSelected: boolean
  onSelect: () => void
}

export function BranchTreeItem({ row, tree, moving, search, isSelected, onSelect, tabIndex, ...focus }: BranchProps) {
  const t = useTexts('branches')
  const { branch, isParent, isOpen } = row
  const { isTarget, ...dragging } = useDragging(row, tree, moving)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: The tree listens to the keys of all its items.
    <div
      role="treeitem"
      tabIndex={tabIndex}
      {...placeOf(row)}
      {...focus}
      {...dragging}
      className={classes(
        styles.item,
        isSelected && styles.selected,
        isTarget && styles.target,
        moving.cut?.id === branch.id && styles.cut,
        branch.status === 'inactive' && styles.inactive,
      )}
      aria-selected={isSelected}
      aria-expanded={isParent ? isOpen : undefined}
      onClick={onSelect}
    >
      {isParent ? (
        <span
          className={styles.toggle}
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation()
            tree.setOpen([branch], !isOpen)
          }}
        >
          <Icon name="chevronRight" />
        </span>
      ) : (
        <span className={styles.toggle} aria-hidden="true" data-leaf="true" />
      )}
      <span className={styles.branchName}>
        <Marked text={branch.name} search={search} />
      </span>
      {branch.code && (
        <span className={styles.code}>
          <Marked text={branch.code} search={search} />
        </span>
      )}
      {branch.status === 'inactive' && <Badge>{t.inactive}</Badge>}
      {isParent && !isOpen && <span className={styles.below}>{t.tree.below({ count: branch.childCount })}</span>}
    </div>
  )
}

function useDragging({ branch, isParent, isOpen }: BranchRow, tree: Tree, moving: Moving) {
  const [isTarget, setTarget] = useState(false)
  const { dragged } = moving
  const takes = dragged !== undefined && moving.canDrop(dragged, branch)
  // biome-ignore lint/correctness/useExhaustiveDependencies: It counts from when something is held over the branch.
  useEffect(() => {
    if (!isTarget || !isParent || isOpen) return
    const timer = setTimeout(() => tree.setOpen([branch], true), HOVER_MS)
    return () => clearTimeout(timer)
  }, [isTarget])
  const over = (event: DragEvent) => {
    setTarget(dragged !== undefined)
    if (takes) event.preventDefault()
  }
  return {
    isTarget: isTarget && takes,
    draggable: moving.isAllowed,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setData('text/plain', branch.name)
      moving.startDrag(branch)
    },
    onDragEnd: () => moving.startDrag(undefined),
    onDragOver: over,
    onDragLeave: () => setTarget(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setTarget(false)
      if (dragged) void moving.drop(dragged, branch)
    },
  }
}

/** Further branches below the same parent: Enter or a click reads them. */
export function RestTreeItem({ row, tree, tabIndex, ...focus }: Shared & { row: MoreRow }) {
  const t = useTexts('branches').tree
  const read = () => (row.kind === 'failed' ? tree.refetch() : row.kind === 'more' && tree.more(row.parentId))
  const texts = { more: t.more({ count: row.count }), pending: t.loading, failed: t.failed }
  return (
    <div
      role="treeitem"
      tabIndex={tabIndex}
      {...placeOf(row)}
      {...focus}
      className={classes(styles.item, styles.rest)}
      onClick={read}
      onKeyDown={(event) => event.key === 'Enter' && read()}
    >
      <span className={styles.toggle} aria-hidden="true" data-leaf="true" />
      {texts[row.kind]}
    </div>
  )
}
