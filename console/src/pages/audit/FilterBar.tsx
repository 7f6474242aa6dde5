import type { AuditRecord } from '@tenantry/client'
import { useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Can } from '../../ui/Can.tsx'
import { FilterSelect } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import styles from './audit.module.css'
import { actionsIn, capitalized, taskOf } from './catalogue.ts'
import { useFilters } from './filters.ts'
import { PersonDialog } from './PersonDialog.tsx'

export function FilterBar({ records }: { records: readonly AuditRecord[] }) {
  const { filters: t, ...texts } = useTexts('audit')
  const { filters, isFiltered, change, clear } = useFilters()
  const [isChoosing, setChoosing] = useState(false)
  return (
    <div className={styles.filters}>
      <FilterSelect
        label={t.action}
        options={[{ value: '', label: t.anyAction }, ...useActions()]}
        value={filters.action ?? ''}
        onChange={(action) => change({ action })}
      />
      <FilterSelect
        label={t.outcome}
        options={[
          { value: '', label: t.anyOutcome },
          { value: 'done', label: t.done },
          ...Object.entries(texts.outcomes).map(([code, text]) => ({
            value: code,
            label: capitalized(text),
            group: t.refusals,
          })),
        ]}
        value={filters.outcome ?? ''}
        onChange={(outcome) => change({ outcome })}
      />
      <FilterSelect
        label={t.subject}
        options={[
          { value: '', label: t.anySubject },
          ...Object.entries(texts.subjects).map(([type, text]) => ({ value: type, label: text })),
        ]}
        value={filters.targetType ?? ''}
        onChange={(targetType) => change({ targetType, targetId: undefined })}
      />
      <Can permission="users:read">
        <Button icon="user" onClick={() => setChoosing(true)}>
          {t.person}
        </Button>
      </Can>
      <span className={styles.dates}>
        <DayField label={t.from} value={filters.from} onChange={(from) => change({ from })} />
        <DayField label={t.to} value={filters.to} onChange={(to) => change({ to })} />
      </span>
      <Chips records={records} />
      {isFiltered && (
        <Button variant="quiet" onClick={clear}>
          {t.clear}
        </Button>
      )}
      {isChoosing && <PersonDialog onClose={() => setChoosing(false)} onChoose={(actorId) => change({ actorId })} />}
    </div>
  )
}

function useActions() {
  const t = useTexts('audit')
  return actionsIn(t).map((action) => ({
    value: action,
    label: capitalized(taskOf(t, action) ?? action),
    group: t.groups[action.split('.')[0] as keyof typeof t.groups],
  }))
}

interface DayProps {
  label: string
  value: string | undefined
  onChange: (day: string) => void
}

function DayField({ label, value = '', onChange }: DayProps) {
  return (
    <label className={styles.date}>
      <span>{label}</span>
      <input type="date" value={value} onChange={(event) => onChange(event.target.value)} />
    </label>
  )
}

/** Filters that have no field of their own: the person, and the one thing that records are about. */
function Chips({ records }: { records: readonly AuditRecord[] }) {
  const { filters: t } = useTexts('audit')
  const { filters, change } = useFilters()
  const { actorId, targetId } = filters
  const actor = records.find(({ actor }) => actor.id === actorId)?.actor.name || undefined
  const target = records.find(({ target }) => target.id === targetId && target.label)?.target.label
  return (
    <>
      {actorId && <Chip text={t.by({ name: actor ?? t.onePerson })} onRemove={() => change({ actorId: undefined })} />}
      {targetId && (
        <Chip
          text={t.about({ name: target ?? t.oneThing })}
          onRemove={() => change({ targetType: undefined, targetId: undefined })}
        />
      )}
    </>
  )
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  const { filters: t } = useTexts('audit')
  return (
    <button type="button" className={styles.chip} aria-label={t.remove({ filter: text })} onClick={onRemove}>
      {text}
      <Icon name="close" size={14} />
    </button>
  )
}
