import { useState } from 'react'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useSayProblem } from '../../api/use-say-problem.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { toast } from '../../ui/toasts.ts'
import type { BranchItem } from './tree-rows.ts'
import { isAtOrBelow, type Known } from './tree-rows.ts'
import type { Tree } from './use-branch-tree.ts'

/** Moving a branch: dragged, cut and pasted, or chosen in the dialog. The service checks each of them anew. */
export function useMoving(tree: Tree) {
  const { scope, can } = useCompany()
  const refresh = useRefreshCompany()
  const { say } = useSayProblem()
  const t = useTexts('branches').move
  const [cut, setCut] = useState<BranchItem>()
  const [dragged, setDragged] = useState<BranchItem>()
  const [refusal, setRefusal] = useState<string>()
  const why = useRefusal(tree.known)

  /** Rejects with the problem of the service. */
  const move = async (branch: BranchItem, parent: BranchItem | null) => {
    await scope.branches.update(branch.id, { parentId: parent?.id ?? null })
    if (parent) tree.setOpen([parent], true)
    await refresh()
    toast(parent ? t.moved({ name: branch.name, parent: parent.name }) : t.movedToTop({ name: branch.name }))
  }
  /** Shows on the page why it is not possible. */
  const drop = async (branch: BranchItem, parent: BranchItem | null) => {
    setDragged(undefined)
    setCut(undefined)
    setRefusal(why(branch, parent))
    if (why(branch, parent) === undefined) await move(branch, parent).catch((error) => setRefusal(say(error)))
  }
  return {
    isAllowed: can('branches:update'),
    cut,
    dragged,
    refusal,
    move,
    drop,
    canDrop: (branch: BranchItem, parent: BranchItem | null) => why(branch, parent) === undefined,
    startCut: (branch: BranchItem | undefined) => {
      setRefusal(undefined)
      setCut(branch)
    },
    startDrag: (branch: BranchItem | undefined) => {
      setRefusal(undefined)
      setDragged(branch)
    },
  }
}

export type Moving = ReturnType<typeof useMoving>

/** What can be told without asking: the sentence that says why a branch can't be moved there. */
function useRefusal(known: Known) {
  const t = useTexts('branches').move
  const problems = useTexts('problems').byCode
  return (branch: BranchItem, parent: BranchItem | null): string | undefined => {
    if (parent && isAtOrBelow(known, parent, branch)) return problems.branch_cycle
    if ((parent?.id ?? null) === branch.parentId) return t.already({ name: branch.name })
    return parent?.status === 'inactive' ? problems.branch_inactive : undefined
  }
}
