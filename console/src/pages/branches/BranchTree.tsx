import { useId } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { classes } from '../../ui/classes.ts'
import styles from './branches.module.css'
import { BranchTreeItem, RestTreeItem } from './TreeItem.tsx'
import type { BranchItem } from './tree-rows.ts'
import type { Tree } from './use-branch-tree.ts'
import type { Moving } from './use-moving.ts'
import { type TreeActions, useTreeKeys } from './use-tree-keys.ts'

interface Props {
  tree: Tree
  moving: Moving
  actions: TreeActions
  selected: BranchItem | undefined
  /** What was searched for, to mark it. */
  search: string
}

export function BranchTree({ tree, moving, actions, selected, search }: Props) {
  const t = useTexts('branches').tree
  const help = useId()
  const keys = useTreeKeys(tree, moving, actions)
  return (
    <div className={classes(styles.frame, tree.isOld && styles.old)} aria-busy={tree.isOld || undefined}>
      <Strip tree={tree} moving={moving} />
      {moving.refusal && (
        <div className={styles.refusal}>
          <Alert tone="danger">
            <p>{moving.refusal}</p>
          </Alert>
        </div>
      )}
      <div className={styles.tree} role="tree" aria-label={t.label} aria-describedby={help} onKeyDown={keys.onKeyDown}>
        {tree.rows.map((row) => {
          const shared = {
            tree,
            tabIndex: row.key === keys.current?.key ? 0 : -1,
            ref: keys.refOf(row.key),
            onFocus: () => keys.onFocus(row),
          }
          return row.kind === 'branch' ? (
            <BranchTreeItem
              key={row.key}
              row={row}
              {...shared}
              {...{ moving, search }}
              isSelected={row.branch.id === selected?.id}
              onSelect={() => actions.select(row.branch)}
            />
          ) : (
            <RestTreeItem key={row.key} row={row} {...shared} />
          )
        })}
      </div>
      <p id={help} className={styles.help}>
        {moving.isAllowed ? t.help : t.helpPlain}
      </p>
    </div>
  )
}

/** Above the tree. While something is dragged it is where the top level is; nothing moves away under the pointer. */
function Strip({ tree, moving }: { tree: Tree; moving: Moving }) {
  const t = useTexts('branches')
  const { cut, dragged } = moving
  if (dragged?.parentId) return <TopZone branch={dragged} moving={moving} />
  return (
    <div className={styles.strip}>
      {/* Always there: what appears together with its text may stay silent. */}
      <div role="status">{cut && <p>{t.move.cut({ name: cut.name })}</p>}</div>
      {cut ? <CutButtons branch={cut} moving={moving} /> : <FoldButtons tree={tree} />}
    </div>
  )
}

function CutButtons({ branch, moving }: { branch: BranchItem; moving: Moving }) {
  const t = useTexts('branches').move
  return (
    <span className={styles.stripButtons}>
      {branch.parentId && (
        <Button size="small" onClick={() => void moving.drop(branch, null)}>
          {t.toTop}
        </Button>
      )}
      <Button size="small" onClick={() => moving.startCut(undefined)}>
        {t.cancel}
      </Button>
    </span>
  )
}

function FoldButtons({ tree }: { tree: Tree }) {
  const t = useTexts('branches').tree
  return (
    <>
      <span className={styles.number}>{t.count({ count: tree.known.all.size })}</span>
      <span className={styles.stripButtons}>
        <Button variant="quiet" size="small" onClick={() => tree.setAllOpen(true)}>
          {t.expandAll}
        </Button>
        <Button variant="quiet" size="small" onClick={() => tree.setAllOpen(false)}>
          {t.collapseAll}
        </Button>
      </span>
    </>
  )
}

function TopZone({ branch, moving }: { branch: BranchItem; moving: Moving }) {
  const t = useTexts('branches').move
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: For the pointer; the keyboard has a button and a dialog.
    <div
      className={classes(styles.strip, styles.topZone)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void moving.drop(branch, null)
      }}
    >
      <p>{t.dropTop}</p>
    </div>
  )
}
