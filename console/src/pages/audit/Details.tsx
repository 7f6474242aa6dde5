import type { AuditRecord } from '@tenantry/client'
import { useDeviceName } from '../../api/use-device-name.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Facts } from '../../ui/Page.tsx'
import styles from './audit.module.css'
import { capitalized, known } from './catalogue.ts'
import { Diff } from './Diff.tsx'
import { useFilters } from './filters.ts'
import { useNames } from './names.ts'
import { actorName, targetName } from './Sentence.tsx'

/** Everything that a record says, and the way to others like it. */
export function Details({ record }: { record: AuditRecord }) {
  const { details: t, ...texts } = useTexts('audit')
  const { moment } = useFormat()
  const { ofTarget } = useNames()
  const deviceName = useDeviceName()
  const { id, actor, target, outcome, ip, user_agent, request_id, created_at } = record
  const kind = known(texts.subjects, target.type) ?? target.type
  const reason = known(texts.outcomes, outcome)
  const name = targetName({ ...texts, details: t }, record, ofTarget)
  const subject = target.label && name !== target.label ? `${name} (${target.label})` : name
  const facts: [string, string | null | undefined][] = [
    [t.when, moment(created_at)],
    [t.who, actor.email ? `${actor.name} (${actor.email})` : actorName({ ...texts, details: t }, record)],
    [t.subject, subject ? `${kind}: ${subject}` : kind],
    [t.outcome, outcome === 'done' ? texts.filters.done : capitalized(reason ?? outcome)],
    [t.address, ip],
    [t.device, user_agent && deviceName(user_agent)],
  ]
  const codes: [string, string][] = [
    [t.request, request_id],
    [t.record, id],
  ]
  return (
    <div className={styles.details}>
      <Diff changes={record.changes} />
      <Facts
        facts={[
          ...facts.filter(([, value]) => value),
          ...codes
            .filter(([, code]) => code)
            .map(([name, code]): [string, React.ReactNode] => [name, <code key={name}>{code}</code>]),
        ]}
      />
      <Others record={record} />
    </div>
  )
}

function Others({ record }: { record: AuditRecord }) {
  const { actor, target } = record
  const { details: t, ...texts } = useTexts('audit')
  const { change } = useFilters()
  return (
    <div className={styles.others}>
      {actor.id && (
        <Button size="small" onClick={() => change({ actorId: actor.id ?? undefined })}>
          {t.onlyBy({ name: actorName({ ...texts, details: t }, record) })}
        </Button>
      )}
      {target.id && (
        <Button size="small" onClick={() => change({ targetType: target.type, targetId: target.id })}>
          {t.onlyAbout}
        </Button>
      )}
    </div>
  )
}
