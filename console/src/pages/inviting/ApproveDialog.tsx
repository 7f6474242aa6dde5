import type { JoinRequest } from '@tenantry/client'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Radio } from '../../ui/Field.tsx'
import { FieldGroup, Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { RolePicker } from '../members/Picker.tsx'

export function ApproveDialog({ request, onClose }: { request: JoinRequest; onClose: () => void }) {
  const { requests: t } = useTexts('inviting')
  const { required } = useTexts('members')
  const { scope, can } = useCompany()
  const refresh = useRefreshCompany()
  const { name, email } = request.account
  const form = useForm({
    initial: { isChosen: false, roleIds: [] as string[] },
    check: ({ isChosen, roleIds }) => ({ roleIds: isChosen && roleIds.length === 0 ? required.roles : undefined }),
    submit: async ({ isChosen, roleIds }) => {
      await scope.joinRequests.approve(request.id, isChosen ? { roleIds } : {})
      onClose()
      toast(t.approved({ name }))
      await refresh()
    },
  })
  const { values, errors, set } = form
  return (
    <Dialog open onClose={onClose} title={t.approveTitle({ name })} intro={t.approveIntro({ email })}>
      <Form form={form}>
        {can('roles:read') && (
          <FieldGroup legend={t.how({ name })}>
            <Radio
              name="roles"
              label={t.usual}
              checked={!values.isChosen}
              onChange={() => set({ isChosen: false, roleIds: [] })}
            />
            <Radio name="roles" label={t.chosen} checked={values.isChosen} onChange={() => set({ isChosen: true })} />
          </FieldGroup>
        )}
        {values.isChosen && (
          <RolePicker value={values.roleIds} error={errors.roleIds} onChange={(roleIds) => set({ roleIds })} />
        )}
        <SendButtons form={form} onCancel={onClose}>
          {t.approve}
        </SendButtons>
      </Form>
    </Dialog>
  )
}
