import { useQuery } from '@tanstack/react-query'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { inCompany } from '../../api/queries.ts'
import { tenantry, useSignedIn } from '../../api/tenantry.ts'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Select, type ValueProps } from '../../ui/Field.tsx'
import { Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import styles from './members.module.css'
import { type CurrentMember, DEFAULT_ROLE, OWNER_ROLE, useReadMemberAgain } from './queries.ts'

interface AssignProps {
  member: CurrentMember
  onClose: () => void
}

/** Other companies in which the caller may add members, and which the caller has opened: reading the roles of another would open it. */
export function useTargets() {
  const { id: here } = useCompany()
  const { companies, permissions, unopened } = useSignedIn()
  return companies.filter(
    ({ id }) => id !== here && !unopened.includes(id) && permissions[id]?.includes('users:create'),
  )
}

export function AssignDialog({ member, onClose }: AssignProps) {
  const { assign: t } = useTexts('members')
  const { name, email } = member
  const { data, error, refetch } = useCompanyQuery(['member-companies', member.id], (scope, options) =>
    scope.members.companies(member.id, options),
  )
  return (
    <Dialog open onClose={onClose} title={t.title({ name })} intro={t.intro({ name, email })}>
      {error && !data && <ErrorState problem={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton lines={3} />}
      {data && <AssignForm {...{ member, onClose }} joined={data.map(({ id }) => id)} />}
    </Dialog>
  )
}

function AssignForm({ member, onClose, joined }: AssignProps & { joined: string[] }) {
  const t = useTexts('members')
  const targets = useTargets()
  const readAgain = useReadMemberAgain()
  const options = targets.map(({ id, name }) => ({
    value: id,
    label: joined.includes(id) ? t.assign.already({ company: name }) : name,
    disabled: joined.includes(id),
  }))
  const form = useForm({
    initial: { companyId: '', roleName: DEFAULT_ROLE },
    check: ({ companyId }) => ({ companyId: companyId ? undefined : t.required.company }),
    fieldOf: { already_member: 'companyId', grant_exceeds_permissions: 'roleName', role_unknown: 'roleName' },
    submit: async ({ companyId, roleName }) => {
      await tenantry.company(companyId).members.assign({ userId: member.id, roleNames: [roleName] })
      // It is in a company more: the one that created it no longer manages it.
      void readAgain(member.id)
      const company = targets.find(({ id }) => id === companyId)?.name ?? ''
      toast(t.assign.done({ name: member.name, company }))
      onClose()
    },
  })
  if (options.every(({ disabled }) => disabled))
    return <p className={styles.quiet}>{t.assign.all({ name: member.name })}</p>
  return (
    <Form form={form}>
      <Select
        label={t.fields.company}
        options={[{ value: '', label: t.assign.choose }, ...options]}
        {...form.field('companyId')}
        onChange={(companyId) => form.set({ companyId, roleName: DEFAULT_ROLE })}
      />
      {form.values.companyId && <RoleThere companyId={form.values.companyId} {...form.field('roleName')} />}
      <SendButtons form={form} onCancel={onClose}>
        {t.assign.action}
      </SendButtons>
    </Form>
  )
}

type RoleProps = ValueProps & { companyId: string; error: string | undefined }

/** Its roles are those of the other company; where the caller can't read them, there is the one that everyone gets. */
function RoleThere({ companyId, ...field }: RoleProps) {
  const t = useTexts('members')
  const { permissions, roles: own } = useSignedIn()
  const roleLabel = useRoleLabel()
  const held = permissions[companyId] ?? []
  const { data } = useQuery({
    queryKey: inCompany(companyId, 'roles', 'choices', ''),
    queryFn: ({ signal }) => tenantry.company(companyId).roles.page({ limit: 100 }, { signal }),
    enabled: held.includes('roles:read'),
    placeholderData: undefined,
  })
  const isOwner = own[companyId]?.includes(OWNER_ROLE)
  const roles = data?.items ?? []
  if (roles.length === 0) return <p className={styles.hint}>{t.add.roleDefault}</p>
  const options = roles.map(({ name, isSystem, permissions }) => {
    const reason =
      isSystem && name === OWNER_ROLE && !isOwner
        ? t.picker.ownerOnly
        : permissions.some((each) => !held.includes(each))
          ? t.assign.tooMuch
          : undefined
    const label = roleLabel({ name, isSystem })
    return { value: name, label: reason ? `${label}: ${reason}` : label, disabled: reason !== undefined }
  })
  return <Select label={t.fields.role} options={options} {...field} />
}
