import { useRef, useState } from 'react'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ChooseMember } from '../../ui/ChooseMember.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toasts.ts'
import { AddBranchDialog } from './AddBranchDialog.tsx'
import { EditBranchDialog } from './EditBranchDialog.tsx'
import { MoveDialog } from './MoveDialog.tsx'
import type { BranchItem } from './tree-rows.ts'
import type { Tree } from './use-branch-tree.ts'
import type { Moving } from './use-moving.ts'

/** What the person is about to do. */
export type Intent =
  | { kind: 'add'; parent?: BranchItem }
  | { kind: 'edit' | 'move' | 'status' | 'delete' | 'member'; branch: BranchItem }

interface Props {
  intent: Intent | undefined
  tree: Tree
  moving: Moving
  onClose: () => void
  onGone: () => void
}

/** One at a time. Each loads what it needs by itself. */
export function BranchDialogs({ intent, tree, moving, onClose, onGone }: Props) {
  if (!intent) return null
  if (intent.kind === 'add') return <AddBranchDialog parent={intent.parent} tree={tree} onClose={onClose} />
  const { branch } = intent
  if (intent.kind === 'edit') return <EditBranchDialog branchId={branch.id} name={branch.name} onClose={onClose} />
  if (intent.kind === 'move') return <MoveDialog branch={branch} tree={tree} moving={moving} onClose={onClose} />
  if (intent.kind === 'member') return <MemberDialog branch={branch} onClose={onClose} />
  if (intent.kind === 'delete') return <DeleteDialog branch={branch} onClose={onClose} onGone={onGone} />
  return <StatusDialog branch={branch} onClose={onClose} />
}

function MemberDialog({ branch: { id, name }, onClose }: { branch: BranchItem; onClose: () => void }) {
  const t = useTexts('branches').member
  return (
    <ChooseMember
      title={t.title({ name })}
      intro={t.intro}
      action={t.choose}
      reasonAgainst={({ branchIds }) => (branchIds.includes(id) ? t.has : undefined)}
      changeOf={({ branchIds }) => ({ branchIds: [...new Set([...branchIds, id])] })}
      done={(member) => t.done({ member, name })}
      onClose={onClose}
    />
  )
}

function StatusDialog({ branch, onClose }: { branch: BranchItem; onClose: () => void }) {
  const t = useTexts('branches')
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  // It must not change its words while it closes.
  const [{ id, name, status }] = useState(branch)
  const isActive = status === 'active'
  const change = async () => {
    await scope.branches.update(id, { status: isActive ? 'inactive' : 'active' })
    toast(isActive ? t.status.deactivated({ name }) : t.status.activated({ name }))
    await refresh()
  }
  return (
    <ConfirmDialog
      open
      variant="primary"
      title={isActive ? t.status.deactivateTitle({ name }) : t.status.activateTitle({ name })}
      intro={isActive ? t.status.deactivateIntro : t.status.activateIntro}
      action={isActive ? t.status.deactivate : t.status.activate}
      onClose={onClose}
      onConfirm={change}
    />
  )
}

/** Where a person goes on when the button of a branch is gone together with it. */
const CURRENT_ITEM = '[role="treeitem"][tabindex="0"]'

function DeleteDialog({ branch, onClose, onGone }: { branch: BranchItem; onClose: () => void; onGone: () => void }) {
  const t = useTexts('branches').remove
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const isGone = useRef(false)
  const remove = async () => {
    await scope.branches.delete(branch.id)
    toast(t.deleted({ name: branch.name }))
    onGone()
    await refresh()
    isGone.current = true
  }
  return (
    <ConfirmDialog
      open
      title={t.title({ name: branch.name })}
      intro={t.intro}
      action={t.action}
      finalFocus={() => (isGone.current ? document.querySelector<HTMLElement>(CURRENT_ITEM) : undefined)}
      onClose={onClose}
      onConfirm={remove}
    />
  )
}
