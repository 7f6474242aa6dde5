import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useLocale } from '../../texts/language.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmailField, Select, TextField } from '../../ui/Field.tsx'
import { FieldGroup, Form } from '../../ui/Form.tsx'
import { SendButtons } from '../../ui/SendButtons.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { isEmail } from '../auth/rules.ts'
import { MembershipFields } from '../members/MembershipFields.tsx'
import styles from '../members/members.module.css'
import { useUsualRoles } from '../members/queries.ts'
import { languageChoices } from '../settings/choices.ts'
import { useDayChoices } from './days.ts'

interface InviteProps {
  /** Of an invitation that has ended. */
  email?: string | undefined
  onClose: () => void
}

export function InviteDialog(props: InviteProps) {
  const { invite: t } = useTexts('inviting')
  const { roleIds, error, refetch } = useUsualRoles()
  return (
    <Dialog open wide onClose={props.onClose} title={t.action} intro={t.intro}>
      {roleIds ? (
        <InviteForm {...props} roleIds={roleIds} />
      ) : error ? (
        <ErrorState problem={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton />
      )}
    </Dialog>
  )
}

function InviteForm({ email = '', roleIds, onClose }: InviteProps & { roleIds: string[] }) {
  const { invite: t } = useTexts('inviting')
  const { fields, required } = useTexts('members')
  const { scope, can } = useCompany()
  const refresh = useRefreshCompany()
  const locale = useLocale()
  const form = useForm({
    initial: { email, name: '', locale: '', days: '7', roleIds, branchIds: [] as string[] },
    check: (values) => ({
      email: isEmail(values.email) ? undefined : required.email,
      roleIds: values.roleIds.length > 0 || !can('roles:read') ? undefined : required.roles,
    }),
    fieldOf: { already_member: 'email', invitation_pending: 'email', domain_not_allowed: 'email' },
    submit: async ({ email, name, locale, days, roleIds, branchIds }) => {
      const sent = await scope.invitations.create({
        email: email.trim(),
        name: name.trim(),
        branchIds,
        expiresInDays: Number(days),
        ...(roleIds.length > 0 && { roleIds }),
        ...(locale && { locale }),
      })
      onClose()
      toast(t.sent({ email: sent.email }))
      await refresh()
    },
  })
  const { values, errors, set } = form
  return (
    <Form form={form}>
      <FieldGroup>
        <EmailField label={fields.email} {...form.field('email')} autoComplete="off" autoFocus />
        <TextField optional label={fields.name} hint={t.nameHint} {...form.field('name')} autoComplete="off" />
      </FieldGroup>
      <MembershipFields roleIds={values.roleIds} branchIds={values.branchIds} error={errors.roleIds} onChange={set} />
      <div className={styles.pair}>
        <Select
          label={t.locale}
          options={[{ value: '', label: t.usual }, ...languageChoices('', locale)]}
          {...form.field('locale')}
        />
        <Select label={t.valid} options={useDayChoices()} {...form.field('days')} />
      </div>
      <SendButtons form={form} onCancel={onClose}>
        {t.submit}
      </SendButtons>
    </Form>
  )
}
