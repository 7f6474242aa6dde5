import type { Invitation, Versioned } from '@tenantry/client'
import { useCompany, useCompanyQuery, useRefreshCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Select, TextField } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { MembershipFields } from '../members/MembershipFields.tsx'
import { useDayChoices } from './days.ts'

interface EditProps {
  invitation: Invitation
  onClose: () => void
}

/** What the invitation gives, as it is now: the list may be older, and has no version. */
export function EditInvitation({ invitation: { id, email }, onClose }: EditProps) {
  const { edit: t } = useTexts('inviting')
  const { data, error, refetch } = useCompanyQuery(['invitation', id], (scope, options) =>
    scope.invitations.get(id, options),
  )
  return (
    <Dialog open wide onClose={onClose} title={t.title({ email })} intro={t.intro}>
      {data ? (
        <EditForm key={data.etag} current={data} onClose={onClose} />
      ) : error ? (
        <ErrorState problem={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton />
      )}
    </Dialog>
  )
}

function EditForm({ current, onClose }: { current: Versioned<Invitation>; onClose: () => void }) {
  const { edit: t, invite } = useTexts('inviting')
  const { fields, required } = useTexts('members')
  const { saveChanges } = useTexts('common')
  const { day } = useFormat()
  const { scope, can } = useCompany()
  const refresh = useRefreshCompany()
  const form = useForm({
    initial: {
      name: current.name,
      days: '',
      roleIds: current.roles.map(({ id }) => id),
      branchIds: current.branchIds,
    },
    check: ({ roleIds }) => ({ roleIds: roleIds.length > 0 ? undefined : required.roles }),
    submit: async ({ name, days, roleIds, branchIds }) => {
      await scope.invitations.update(current, {
        name: name.trim(),
        branchIds,
        // Who can't read the roles did not choose them.
        ...(can('roles:read') && { roleIds }),
        ...(days && { expiresInDays: Number(days) }),
      })
      onClose()
      toast(t.done)
      await refresh()
    },
  })
  const { values, errors, set } = form
  const keep = { value: '', label: t.keep({ day: day(current.expires_at) }) }
  return (
    <Form form={form}>
      <TextField optional label={fields.name} hint={invite.nameHint} {...form.field('name')} autoComplete="off" />
      <MembershipFields roleIds={values.roleIds} branchIds={values.branchIds} error={errors.roleIds} onChange={set} />
      <Select label={t.valid} options={[keep, ...useDayChoices()]} {...form.field('days')} />
      <SendButtons form={form} onCancel={onClose} unavailable={!form.isChanged}>
        {saveChanges}
      </SendButtons>
    </Form>
  )
}
