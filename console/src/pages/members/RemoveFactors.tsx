import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
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
    // Also where someone else was faster: the page shows that there are none any more.
    await scope.members.resetSecondFactor(id).finally(onDone)
    toast(t.done({ name }))
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.title({ name })}
      intro={t.intro({ name })}
      action={t.action}
      onConfirm={remove}
    >
      <Alert tone="warning">{t.caution({ name })}</Alert>
    </ConfirmDialog>
  )
}
