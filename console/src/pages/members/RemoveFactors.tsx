import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toasts.ts'
import type { CurrentMember } from './queries.ts'

interface RemoveProps {
  member: CurrentMember
  onClose: () => void
  onDone: () => Promise<unknown>
}

/** For a member who has lost them all. */
export function RemoveFactors({ member: { id, name }, onClose, onDone }: RemoveProps) {
  const { scope } = useCompany()
  const { factors: t } = useTexts('members')
  const remove = async () => {
    await scope.members.resetSecondFactor(id)
    toast(t.done({ name }))
    await onDone()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.title({ name })}
      intro={t.intro({ name })}
      action={t.action}
      onConfirm={remove}
    />
  )
}
