import type { Member } from '@tenantry/client'
import { useId, useState } from 'react'
import { useCompanyQuery } from '../api/use-company.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Radio } from './Field.tsx'
import { SearchField } from './Lists.tsx'
import styles from './MemberPicker.module.css'
import { ErrorState, Skeleton } from './States.tsx'

interface MemberPickerProps {
  /** What the chosen member is for. */
  label: string
  value: Member | undefined
  onChange: (member: Member) => void
  /** Why this member can't be chosen. */
  reasonAgainst?: (member: Member) => string | undefined
  activeOnly?: boolean
}

const SHOWN = 6

/** Finds one member of the company by name or email address. */
export function MemberPicker({ label, value, onChange, reasonAgainst, activeOnly }: MemberPickerProps) {
  const t = useTexts('common')
  const name = useId()
  const [search, setSearch] = useState('')
  const query = { limit: SHOWN, ...(search && { search }), ...(activeOnly && { status: 'active' as const }) }
  const { data, error, refetch } = useCompanyQuery(['members', query], (scope, options) =>
    scope.members.page(query, options),
  )
  const members = data?.items ?? []
  return (
    <fieldset className={styles.picker}>
      <legend className="unseen">{label}</legend>
      <SearchField label={t.search} value={search} onSearch={setSearch} />
      {error ? <ErrorState problem={error} onRetry={() => void refetch()} /> : !data && <Skeleton lines={3} />}
      {data && members.length === 0 && <p className={styles.none}>{t.noResults}</p>}
      <div className={styles.list}>
        {members.map((member) => {
          const reason = reasonAgainst?.(member)
          return (
            <Radio
              key={member.id}
              name={name}
              label={member.name}
              hint={reason ? `${member.email} · ${reason}` : member.email}
              disabled={reason !== undefined}
              checked={value?.id === member.id}
              onChange={() => onChange(member)}
            />
          )
        })}
      </div>
    </fieldset>
  )
}
