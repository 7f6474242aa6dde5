import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { EmailField, TextField } from '../../ui/Field.tsx'
import { FieldGroup, Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { useForm } from '../../ui/use-form.ts'
import { isEmail } from '../auth/rules.ts'
import type { AddProps } from './adding.ts'
import { MembershipFields } from './MembershipFields.tsx'
import styles from './members.module.css'

/** Creates the account where there is none; an existing one is only linked. */
export function AddByEmail({ roleIds, branchIds, onAdded, onClose }: AddProps) {
  const t = useTexts('members')
  const { scope, can } = useCompany()
  const form = useForm({
    initial: { email: '', name: '', phone: '', position: '', roleIds, branchIds },
    check: (values) => ({
      email: isEmail(values.email) ? undefined : t.required.email,
      name: values.name.trim() ? undefined : t.required.name,
      roleIds: values.roleIds.length > 0 || !can('roles:read') ? undefined : t.required.roles,
    }),
    fieldOf: { already_member: 'email', email_reserved: 'email' },
    submit: async ({ email, name, ...rest }) =>
      onAdded(await scope.members.add({ ...rest, email: email.trim(), name: name.trim() })),
  })
  const { values, errors, set } = form
  return (
    <Form form={form}>
      <FieldGroup>
        <EmailField
          label={t.fields.email}
          hint={t.add.emailHint}
          {...form.field('email')}
          autoComplete="off"
          autoFocus
        />
        <TextField label={t.fields.name} {...form.field('name')} autoComplete="off" />
      </FieldGroup>
      <MembershipFields roleIds={values.roleIds} branchIds={values.branchIds} error={errors.roleIds} onChange={set} />
      <div className={styles.pair}>
        <TextField optional label={t.fields.phone} type="tel" {...form.field('phone')} autoComplete="off" />
        <TextField optional label={t.fields.position} {...form.field('position')} autoComplete="off" />
      </div>
      <SendButtons form={form} onCancel={onClose}>
        {t.add.action}
      </SendButtons>
    </Form>
  )
}
