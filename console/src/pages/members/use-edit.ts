import { useState } from 'react'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { type Difference, isConflict } from '../../ui/DiffDialog.tsx'
import { toast } from '../../ui/toasts.ts'
import { type CurrentMember, useShowMember } from './queries.ts'

export interface Changes {
  phone?: string
  position?: string
  roleIds?: string[]
  branchIds?: string[]
}

interface Conflict {
  latest: CurrentMember
  differences: Difference[]
}

interface EditOptions {
  member: CurrentMember
  /** What the newest version says otherwise than the change. Nothing: someone changed something else. */
  compare: (latest: CurrentMember, changes: Changes) => Difference[]
  onClose: () => void
}

/** Saves a change of the version that was read. Where someone was faster, the person chooses. */
export function useEdit({ member, compare, onClose }: EditOptions) {
  const { changed } = useTexts('common')
  const { scope } = useCompany()
  const show = useShowMember()
  const [conflict, setConflict] = useState<Conflict>()

  const saveOver = async (version: CurrentMember, changes: Changes) => {
    show(member.id, await scope.members.update(version, changes))
    toast(changed)
    onClose()
  }
  const weigh = async (error: unknown, changes: Changes) => {
    setConflict(undefined)
    if (!isConflict(error)) throw error
    const latest = await scope.members.get(member.id)
    const differences = compare(latest, changes)
    if (differences.length > 0) setConflict({ latest, differences })
    else await saveOver(latest, changes)
  }
  return {
    conflict,
    /** While a conflict is shown: over the version that it shows. */
    save: async (changes: Changes) => {
      if (Object.keys(changes).length === 0) return onClose()
      await saveOver(conflict?.latest ?? member, changes).catch((error: unknown) => weigh(error, changes))
    },
    keepTheirs: () => {
      if (conflict) show(member.id, conflict.latest)
      onClose()
    },
  }
}
