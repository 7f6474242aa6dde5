import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Company } from '@tenantry/client'
import { ofAccount } from '../../api/queries.ts'
import { tenantry } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { toast } from '../../ui/toasts.ts'

export function RestoreDialog({ company, onClose }: { company: Company; onClose: () => void }) {
  const t = useTexts('companies').deleted
  const navigate = useNavigate()
  const client = useQueryClient()
  const { id, name } = company
  const restore = async () => {
    await tenantry.company(id).restore()
    toast(t.restored({ company: name }))
    await navigate({ to: '/c/$companyId', params: { companyId: id } })
    await client.invalidateQueries({ queryKey: ofAccount('deleted-companies') })
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      variant="primary"
      title={t.restoreTitle({ company: name })}
      intro={t.restoreIntro}
      action={t.restoreAction}
      onConfirm={restore}
    />
  )
}
