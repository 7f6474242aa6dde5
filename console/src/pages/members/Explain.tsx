import type { Member, PermissionName } from '@tenantry/client'
import { useState } from 'react'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompanyQuery } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Select } from '../../ui/Field.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'

/** Why a member may do something, or may not. */
export function Explain({ member, onClose }: { member: Member; onClose: () => void }) {
  const t = useTexts('members')
  const { name, id } = member
  const [permission, setPermission] = useState('')
  const catalogue = useCompanyQuery(['permissions'], (scope, options) => scope.listPermissions(options))
  const { data, error, refetch } = catalogue
  const choices = (data ?? []).map((each) => ({ value: each.name, label: each.description, group: each.group }))
  return (
    <Dialog open onClose={onClose} title={t.explain.title({ name })} intro={t.explain.intro({ name })}>
      {error && !data && <ErrorState problem={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton lines={2} />}
      {data && (
        <Select
          label={t.fields.permission}
          options={[{ value: '', label: t.explain.choose }, ...choices]}
          value={permission}
          onChange={setPermission}
        />
      )}
      {permission && <Answer {...{ id, name }} permission={permission as PermissionName} />}
    </Dialog>
  )
}

function Answer({ id, name, permission }: { id: string; name: string; permission: PermissionName }) {
  const { explain: t } = useTexts('members')
  const { list } = useFormat()
  const roleLabel = useRoleLabel()
  const { data, error, refetch, isPlaceholderData } = useCompanyQuery(['explain', id, permission], (scope, options) =>
    scope.explainPermission({ userId: id, permission }, options),
  )
  if (error && !data) return <ErrorState problem={error} onRetry={() => void refetch()} />
  if (!data || isPlaceholderData) return <Skeleton lines={1} />
  const roles = list(data.roles.map(({ name }) => roleLabel({ name })))
  if (data.allowed) return <Alert tone="success">{t.held({ name, roles })}</Alert>
  const { reason } = data
  if (reason === 'inactive') return <Alert>{t.inactive}</Alert>
  return <Alert>{reason === 'not_open_yet' ? t.not_open_yet({ name }) : t.not_held({ name })}</Alert>
}
