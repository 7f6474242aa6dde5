import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Checkbox, Radio, TextField } from '../../ui/Field.tsx'
import { FieldGroup } from '../../ui/Form.tsx'
import { Card } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import type { Form } from '../../ui/use-form.ts'
import memberStyles from '../members/members.module.css'
import { useRoles } from '../members/queries.ts'
import { dayOf, type PolicyValues } from './policy-values.ts'

const GRACE_DAYS_MAX = 90
const daysAhead = (days: number) => dayOf(new Date(Date.now() + days * 24 * 60 * 60 * 1000))

export function FactorFields({ form }: { form: Form<PolicyValues> }) {
  const { factor: t } = useTexts('policy')
  const { required, roleIds } = form.values
  return (
    <Card title={t.title} intro={t.intro}>
      <FieldGroup legend={t.who}>
        {(['nobody', 'roles', 'everybody'] as const).map((value) => (
          <Radio
            key={value}
            name="required"
            label={t[value]}
            checked={required === value}
            onChange={() => form.set({ required: value })}
          />
        ))}
      </FieldGroup>
      {required === 'roles' && (
        <RoleFields value={roleIds} error={form.errors.roleIds} onChange={(roleIds) => form.set({ roleIds })} />
      )}
      {required !== 'nobody' && (
        <TextField
          optional
          type="date"
          label={t.from}
          hint={t.fromHint}
          min={daysAhead(1)}
          max={daysAhead(GRACE_DAYS_MAX)}
          {...form.field('from')}
        />
      )}
    </Card>
  )
}

interface RoleFieldsProps {
  value: string[]
  error: string | undefined
  onChange: (roleIds: string[]) => void
}

/** Whoever may set the policy names any role in it: nothing is given by that. */
function RoleFields({ value, error, onChange }: RoleFieldsProps) {
  const { factor: t } = useTexts('policy')
  const roleLabel = useRoleLabel()
  const { data, error: problem, refetch } = useRoles(true)
  if (problem && !data) return <ErrorState problem={problem} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={3} />
  return (
    <FieldGroup legend={t.rolesLabel}>
      {error && (
        <p className={memberStyles.error} role="alert">
          {error}
        </p>
      )}
      <div className={memberStyles.choices}>
        {data.items.map(({ id, name, isSystem }) => (
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
