import { useNavigate } from '@tanstack/react-router'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toasts.ts'

/** Also of a suspended company, from which everything else is refused. */
export function LeaveDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useTexts('settings').danger
  const { scope, summary, closedBy, can } = useCompany()
  const navigate = useNavigate()
  const company = summary?.name ?? ''
  const leave = async () => {
    const { deleted } = await scope.leave()
    toast((deleted ? t.removed : t.left)({ company }))
    await navigate({ to: '/', replace: true })
  }
  const owner = closedBy ? t.leaveClosedOwner : t.leaveOwner
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={t.leaveTitle({ company })}
      intro={can('companies:delete') ? `${t.leaveIntro} ${owner}` : t.leaveIntro}
      action={t.leaveAction}
      onConfirm={leave}
    />
  )
}
