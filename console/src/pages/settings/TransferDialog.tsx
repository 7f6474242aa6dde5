import type { Member } from '@tenantry/client'
import { useState } from 'react'
import { useSignedIn } from '../../api/tenantry.ts'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Form } from '../../ui/Form.tsx'
import { MemberPicker } from '../../ui/MemberPicker.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'

const OWNER = 'Owner'

/** An owner chooses who is to become one. Nothing changes until that member accepts. */
export function TransferDialog({ onClose }: { onClose: () => void }) {
  const t = useTexts('settings').ownership.dialog
  const { account } = useSignedIn()
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const [member, setMember] = useState<Member>()
  const form = useForm({
    initial: { userId: '' },
    check: ({ userId }) => ({ userId: userId ? undefined : t.missing }),
    submit: async ({ userId }) => {
      const { to } = await scope.transfer.offer({ userId })
      onClose()
      toast(t.started({ to: to.name }))
      await refresh()
    },
  })
  const reasonAgainst = ({ id, roles }: Member) =>
    id === account.id ? t.isYou : roles.includes(OWNER) ? t.isOwner : undefined
  return (
    <Dialog open onClose={onClose} title={t.title} intro={t.intro}>
      <Form form={form}>
        <MemberPicker
          activeOnly
          label={t.member}
          value={member}
          reasonAgainst={reasonAgainst}
          onChange={(chosen) => {
            setMember(chosen)
            form.set({ userId: chosen.id })
          }}
        />
        {form.errors.userId && <Alert tone="danger">{form.errors.userId}</Alert>}
        <SendButtons form={form} onCancel={onClose}>
          {t.submit}
        </SendButtons>
      </Form>
    </Dialog>
  )
}
