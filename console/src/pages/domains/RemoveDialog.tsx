import type { Domain } from '@tenantry/client'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toasts.ts'

export function RemoveDialog({ domain: { id, name }, onClose }: { domain: Domain; onClose: () => void }) {
  const { remove: t } = useTexts('domains')
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const remove = async () => {
    await scope.domains.delete(id)
    toast(t.done({ name }))
    await refresh()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.title({ name })}
      intro={t.intro}
      action={t.action}
      onConfirm={remove}
    />
  )
}
