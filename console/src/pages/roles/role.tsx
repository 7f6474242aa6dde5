import { useNavigate, useParams } from '@tanstack/react-router'
import type { Role, Versioned } from '@tenantry/client'
import { useState } from 'react'
import { useBuiltInText, useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Can, PageFor } from '../../ui/Can.tsx'
import { Page } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { type PermissionGroup, useCatalogue, useLacking, useRole } from './catalogue.ts'
import { DeleteRoleDialog } from './DeleteRoleDialog.tsx'
import { Holders } from './Holders.tsx'
import { NewRolePage } from './NewRole.tsx'
import { RoleEditor } from './RoleEditor.tsx'
import { RoleView } from './RoleView.tsx'
import styles from './roles.module.css'

/** One role: to edit where the person may, else to look at. `new` in the place of its id begins one. */
export function RolePage() {
  const { roleId = '' } = useParams({ strict: false })
  return roleId === 'new' ? (
    <PageFor permission="roles:create">
      <NewRolePage />
    </PageFor>
  ) : (
    <PageFor permission="roles:read">
      <OneRolePage key={roleId} roleId={roleId} />
    </PageFor>
  )
}

function OneRolePage({ roleId }: { roleId: string }) {
  const t = useTexts('roles')
  const roleLabel = useRoleLabel()
  const { path, can } = useCompany()
  const { data, error, refetch } = useRole(roleId)
  const known = data?.permissions ?? []
  const catalogue = useCatalogue([...new Set([...known, ...useOwnPermissions()])])
  const parent = { to: path('roles'), label: t.title }
  // What was there before may be another role.
  const role = data?.id === roleId ? data : undefined
  const retry = () => void Promise.all([refetch(), can('permissions:read') && catalogue.refetch()])
  const problem = (!role && error) || (!catalogue.groups && catalogue.error)
  if (problem) {
    return (
      <Page narrow title={t.title} parent={parent}>
        <ErrorState problem={problem} onRetry={retry} />
      </Page>
    )
  }
  if (!role || !catalogue.groups) {
    return (
      <Page narrow title={role ? roleLabel(role) : t.title} parent={parent}>
        <Skeleton lines={8} />
      </Page>
    )
  }
  return <LoadedRolePage role={role} groups={catalogue.groups} />
}

function useOwnPermissions(): readonly string[] {
  return useCompany().scope.permissions
}

function LoadedRolePage({ role, groups }: { role: Versioned<Role>; groups: PermissionGroup[] }) {
  const t = useTexts('roles')
  const { path, can } = useCompany()
  const builtInText = useBuiltInText()
  const roleLabel = useRoleLabel()
  const isMine = useLacking()(role.permissions).length === 0 && !role.isSystem
  const isEditable = isMine && can('roles:update')
  // An editor shows the description as a field.
  const intro = builtInText(role) ?? (isEditable ? '' : role.description)
  return (
    <Page
      narrow
      title={roleLabel(role)}
      intro={intro || undefined}
      parent={{ to: path('roles'), label: t.title }}
      actions={<Actions role={role} isMine={isMine} />}
    >
      {role.isSystem && (
        <div className={styles.badges}>
          <Badge>{t.builtIn}</Badge>
        </div>
      )}
      <Holders role={role} />
      {isEditable ? <RoleEditor role={role} groups={groups} /> : <RoleView role={role} groups={groups} />}
    </Page>
  )
}

function Actions({ role, isMine }: { role: Versioned<Role>; isMine: boolean }) {
  const t = useTexts('roles')
  const { path } = useCompany()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <>
      <Can permission="roles:create">
        <ButtonLink icon="copy" to={path('roles/new')} search={{ from: role.id }}>
          {t.duplicate}
        </ButtonLink>
      </Can>
      {isMine && (
        <Can permission="roles:delete">
          <Button onClick={() => setDeleting(true)}>{t.delete}</Button>
        </Can>
      )}
      {isDeleting && (
        <DeleteRoleDialog
          role={role}
          onClose={() => setDeleting(false)}
          onDeleted={() => navigate({ to: path('roles'), ignoreBlocker: true })}
        />
      )}
    </>
  )
}
