import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import styles from './members.module.css'
import { BranchPicker, RolePicker } from './Picker.tsx'

interface MembershipProps {
  roleIds: string[]
  branchIds: string[]
  error: string | undefined
  onChange: (changes: { roleIds?: string[]; branchIds?: string[] }) => void
}

export function MembershipFields({ roleIds, branchIds, error, onChange }: MembershipProps) {
  const t = useTexts('members').add
  const { can } = useCompany()
  return (
    <>
      {can('roles:read') ? (
        <RolePicker value={roleIds} error={error} onChange={(next) => onChange({ roleIds: next })} />
      ) : (
        <p className={styles.hint}>{t.roleDefault}</p>
      )}
      {can('branches:read') && <BranchPicker value={branchIds} onChange={(next) => onChange({ branchIds: next })} />}
    </>
  )
}
