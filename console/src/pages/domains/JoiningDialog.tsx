import type { Domain } from '@tenantry/client'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Checkbox, Radio } from '../../ui/Field.tsx'
import { FieldGroup, Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import styles from '../members/members.module.css'
import { DEFAULT_ROLE, OWNER_ROLE, useRoles } from '../members/queries.ts'

/** How people join by a verified domain, and what they become. */
export function JoiningDialog({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { joining: t } = useTexts('domains')
  const { saveChanges } = useTexts('common')
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const { id, name, joinPolicy, joinRoles } = domain
  const form = useForm({
    initial: { joinPolicy, joinRoleIds: joinRoles.map(({ id }) => id) },
    submit: async (values) => {
      await scope.domains.update(id, values)
      onClose()
      toast(t.saved({ name }))
      await refresh()
    },
  })
  const { values, set } = form
  const choices = [
    ['none', t.noneHint],
    ['request', t.requestHint],
    ['auto', t.autoHint],
  ] as const
  return (
    <Dialog open onClose={onClose} title={t.dialog({ name })} intro={t.intro}>
      <Form form={form}>
        <FieldGroup legend={t.title}>
          {choices.map(([policy, hint]) => (
            <Radio
              key={policy}
              name="joining"
              label={t[policy]}
              hint={hint}
              checked={values.joinPolicy === policy}
              onChange={() => set({ joinPolicy: policy })}
            />
          ))}
        </FieldGroup>
        {values.joinPolicy !== 'none' && (
          <Roles value={values.joinRoleIds} onChange={(joinRoleIds) => set({ joinRoleIds })} />
        )}
        <SendButtons form={form} onCancel={onClose}>
          {saveChanges}
        </SendButtons>
      </Form>
    </Dialog>
  )
}

/** Nobody becomes an owner by joining. */
function Roles({ value, onChange }: { value: string[]; onChange: (roleIds: string[]) => void }) {
  const { joining: t } = useTexts('domains')
  const roleLabel = useRoleLabel()
  const { data, error, refetch } = useRoles(true)
  if (error && !data) return <ErrorState problem={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={3} />
  return (
    <FieldGroup legend={t.roles}>
      <p className={styles.hint}>{t.rolesHint({ role: roleLabel({ name: DEFAULT_ROLE }) })}</p>
      <div className={styles.choices}>
        {data.items
          .filter(({ isSystem, name }) => !isSystem || name !== OWNER_ROLE)
          .map(({ id, name, isSystem }) => (
            <Checkbox
              key={id}
              label={roleLabel({ name, isSystem })}
              checked={value.includes(id)}
              onChange={(checked) => onChange(checked ? [...value, id] : value.filter((each) => each !== id))}
            />
          ))}
      </div>
    </FieldGroup>
  )
}
