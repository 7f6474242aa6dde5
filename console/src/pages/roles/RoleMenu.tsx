import { useNavigate } from '@tanstack/react-router'
import type { Role } from '@tenantry/client'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuItem } from '../../ui/MenuPopup.tsx'
import { useLacking } from './catalogue.ts'

/** What the person may do with the role. */
export function RoleMenu({ role, onDelete }: { role: Role; onDelete: () => void }) {
  const t = useTexts('roles')
  const { can, path } = useCompany()
  const navigate = useNavigate()
  const roleLabel = useRoleLabel()
  const isMine = useLacking()(role.permissions).length === 0 && !role.isSystem
  const open: MenuItem = {
    label: isMine && can('roles:update') ? t.edit : t.list.open,
    icon: 'role',
    to: path(`roles/${role.id}`),
  }
  const copy = () => void navigate({ to: path('roles/new'), search: { from: role.id } })
  const duplicate: MenuItem = { label: t.duplicate, icon: 'copy', onSelect: copy }
  const remove: MenuItem = { label: t.delete, icon: 'close', danger: true, onSelect: onDelete }
  return (
    <Menu
      trigger={<IconButton icon="more" label={t.list.actionsFor({ name: roleLabel(role) })} />}
      groups={[
        { items: can('roles:create') ? [open, duplicate] : [open] },
        { items: isMine && can('roles:delete') ? [remove] : [] },
      ]}
    />
  )
}
