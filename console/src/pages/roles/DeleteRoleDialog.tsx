import type { Role } from '@tenantry/client'
import { useState } from 'react'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { isProblem } from '../../api/problems.ts'
import { useCompany, useCompanyQuery, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ProblemAlert } from '../../ui/Alert.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Select } from '../../ui/Field.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import { labelsOf, useCatalogue, useLacking } from './catalogue.ts'
import { Impact } from './Impact.tsx'

interface Props {
  role: Role & { etag?: string }
  onClose: () => void
  onDeleted?: () => Promise<unknown>
}

/** Members who have it, and people who are about to join with it, get another role instead, with a preview of what members gain and lose. */
export function DeleteRoleDialog({ role, onClose, onDeleted }: Props) {
  const t = useTexts('roles')
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const [reassignTo, setReassignTo] = useState('')
  const hasMembers = role.memberCount > 0
  const alone = usePreview(role, '', !hasMembers)
  const isUsed = hasMembers || isInUse(alone.error)
  const preview = usePreview(role, reassignTo, reassignTo !== '')
  const remove = async () => {
    await scope.roles.delete(role, reassignTo ? { reassignTo } : {})
    toast(t.remove.deleted)
    await onDeleted?.()
    await refresh()
  }
  const needed = isUsed ? preview : alone
  const isReady = needed.data !== undefined && !needed.isPlaceholderData
  const unused = isUsed ? t.remove.joining : t.remove.unused
  return (
    <ConfirmDialog
      open
      wide={isUsed}
      onClose={onClose}
      title={t.remove.title({ name: role.name })}
      intro={hasMembers ? t.remove.inUse({ count: role.memberCount }) : unused}
      action={t.delete}
      unavailable={!isReady}
      onConfirm={remove}
    >
      {!isUsed && alone.error && <ProblemAlert problem={alone.error} />}
      {isUsed && <Replacement role={role} value={reassignTo} onChange={setReassignTo} />}
      {reassignTo && <Preview preview={preview} permissions={role.permissions} />}
    </ConfirmDialog>
  )
}

const isInUse = (error: unknown): boolean => isProblem(error) && error.code === 'role_in_use'

/** A question to the service that changes nothing. */
function usePreview(role: Role, reassignTo: string, enabled: boolean) {
  return useCompanyQuery(
    ['role-deletion', role.id, reassignTo],
    (scope, options) => scope.roles.delete(role.id, { dryRun: true, ...(reassignTo && { reassignTo }), ...options }),
    { enabled },
  )
}

function Preview({ preview, permissions }: { preview: ReturnType<typeof usePreview>; permissions: readonly string[] }) {
  const { groups } = useCatalogue(permissions)
  if (preview.error) return <ProblemAlert problem={preview.error} />
  if (!preview.data?.impact || preview.isPlaceholderData || !groups) return <Skeleton lines={2} />
  return <Impact impact={preview.data.impact} labels={labelsOf(groups)} />
}

interface ReplacementProps {
  role: Role
  value: string
  onChange: (id: string) => void
}

/** Those that the person may not give are in the list, but can't be chosen. */
function Replacement({ role, value, onChange }: ReplacementProps) {
  const t = useTexts('roles').remove
  const { roles: ownRoles } = useCompany()
  const lacking = useLacking()
  const roleLabel = useRoleLabel()
  const { data, error } = useCompanyQuery(['role-list', 'all'], (scope, options) =>
    Array.fromAsync(scope.roles.list({}, options)),
  )
  if (error) return <ProblemAlert problem={error} />
  if (!data) return <Skeleton lines={1} />
  const others = data.filter(({ id }) => id !== role.id)
  const isGivable = ({ name, isSystem, permissions }: Role) =>
    lacking(permissions).length === 0 && (!isSystem || name !== 'Owner' || ownRoles.includes('Owner'))
  const options = others.map((other) => ({
    value: other.id,
    label: isGivable(other) ? roleLabel(other) : t.tooMuch({ name: roleLabel(other) }),
    disabled: !isGivable(other),
  }))
  return (
    <Select
      label={t.replacement}
      hint={others.some(isGivable) ? undefined : t.onlyRole}
      options={[{ value: '', label: t.choose }, ...options]}
      value={value}
      onChange={onChange}
    />
  )
}
