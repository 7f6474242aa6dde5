import type { Branch } from '@tenantry/client'
import { useTexts } from '../../texts/use-texts.ts'
import { Select, TextField } from '../../ui/Field.tsx'
import type { Form } from '../../ui/use-form.ts'
import styles from './branches.module.css'

/** What people edit of a branch; where it is in the tree is a thing of its own. */
export type BranchValues = Pick<Branch, 'name' | 'code' | 'address' | 'phone' | 'timezone'>

export const FIELD_OF = { branch_name_taken: 'name', branch_code_taken: 'code' } as const

export const valuesOf = ({ name, code, address, phone, timezone }: Branch): BranchValues => ({
  name,
  code,
  address,
  phone,
  timezone,
})

export const trimmed = (values: BranchValues): BranchValues =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value.trim()])) as unknown as BranchValues

export function BranchFields({ form }: { form: Form<BranchValues> }) {
  const t = useTexts('branches').form
  const zones = Intl.supportedValuesOf('timeZone')
  const { timezone } = form.values
  const known = timezone && !zones.includes(timezone) ? [timezone, ...zones] : zones
  const options = [{ value: '', label: t.noTimezone }, ...known.map((zone) => ({ value: zone, label: zone }))]
  return (
    <>
      <TextField label={t.name} maxLength={100} autoComplete="off" {...form.field('name')} />
      <TextField label={t.code} hint={t.codeHint} optional maxLength={30} autoComplete="off" {...form.field('code')} />
      <TextField label={t.address} optional maxLength={300} autoComplete="off" {...form.field('address')} />
      <div className={styles.pair}>
        <TextField label={t.phone} optional type="tel" maxLength={32} autoComplete="off" {...form.field('phone')} />
        <Select label={t.timezone} optional options={options} {...form.field('timezone')} />
      </div>
    </>
  )
}
