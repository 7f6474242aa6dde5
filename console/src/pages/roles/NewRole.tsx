import { useNavigate, useSearch } from '@tanstack/react-router'
import type { PermissionName, Role } from '@tenantry/client'
import { useBuiltInText, useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { ButtonLink } from '../../ui/Button.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { LeaveGuard } from '../../ui/LeaveGuard.tsx'
import { Page } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { type PermissionGroup, useCatalogue, useLacking, useRole } from './catalogue.ts'
import { RoleFields } from './RoleEditor.tsx'
import type { RoleValues } from './role-values.ts'

/** From nothing, or from another role: `?from=` with its id. */
export function NewRolePage() {
  const t = useTexts('roles')
  const { path, scope } = useCompany()
  const { from = '' }: { from?: string } = useSearch({ strict: false })
  const { data, error, refetch } = useRole(from)
  const origin = from && data?.id === from ? data : undefined
  const catalogue = useCatalogue(scope.permissions)
  const problem = (from && !origin && error) || (!catalogue.groups && catalogue.error)
  return (
    <Page narrow title={t.new.title} intro={t.new.intro} parent={{ to: path('roles'), label: t.title }}>
      {problem ? (
        <ErrorState problem={problem} onRetry={() => void (error ? refetch() : catalogue.refetch())} />
      ) : !catalogue.groups || (from && !origin) ? (
        <Skeleton lines={8} />
      ) : (
        <NewRole key={from} origin={origin} groups={catalogue.groups} />
      )}
    </Page>
  )
}

function NewRole({ origin, groups }: { origin: Role | undefined; groups: PermissionGroup[] }) {
  const t = useTexts('roles')
  const common = useTexts('common')
  const { path } = useCompany()
  const roleLabel = useRoleLabel()
  const form = useNewRole(origin)
  const leftOut = useLacking()(origin?.permissions ?? [])
  return (
    <Form form={form}>
      {origin && leftOut.length > 0 && (
        <Alert>
          <p>{t.new.leftOut({ count: leftOut.length, name: roleLabel(origin) })}</p>
        </Alert>
      )}
      <RoleFields form={form} groups={groups} />
      <LeaveGuard isChanged={form.isChanged} />
      <FormButtons form={form} beside={<ButtonLink to={path('roles')}>{common.cancel}</ButtonLink>}>
        {t.create}
      </FormButtons>
    </Form>
  )
}

function useNewRole(origin: Role | undefined) {
  const t = useTexts('roles')
  const { blank } = useTexts('problems').fields
  const { scope, path } = useCompany()
  const navigate = useNavigate()
  const refresh = useRefreshCompany()
  const lacking = useLacking()
  const builtInText = useBuiltInText()
  const roleLabel = useRoleLabel()
  const left = lacking(origin?.permissions ?? [])
  return useForm<RoleValues>({
    initial: {
      name: origin ? t.new.copyOf({ name: roleLabel(origin) }) : '',
      description: (origin && (builtInText(origin) ?? origin.description)) ?? '',
      permissions: origin?.permissions.filter((name) => !left.includes(name)) ?? [],
    },
    check: ({ name }) => ({ name: name.trim() ? undefined : blank }),
    submit: async ({ name, description, permissions }) => {
      const body = { name: name.trim(), description: description.trim(), permissions: permissions as PermissionName[] }
      const { id } = await scope.roles.create(body)
      toast(t.new.created)
      await navigate({ to: path(`roles/${id}`), ignoreBlocker: true })
      await refresh()
    },
    fieldOf: { role_name_taken: 'name' },
  })
}
