import type { Policy } from '@tenantry/client'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Card, Facts } from '../../ui/Page.tsx'
import { useDurations } from './durations.ts'

/** For people who may not change it. */
export function PolicyFacts({ policy }: { policy: Policy }) {
  const t = useTexts('policy')
  const { day, list } = useFormat()
  const { hours, minutes } = useDurations()
  const { secondFactor, sessions, networks, members, passwords } = policy
  const { required, from } = secondFactor
  const factor =
    from && Date.parse(from) > Date.now()
      ? `${t.factor[required]}. ${t.factor.at({ day: day(from) })}`
      : t.factor[required]
  const { maxAgeHours, idleMinutes, stepUpMinutes } = sessions
  return (
    <Card title={t.title} intro={t.readOnly}>
      <Facts
        facts={[
          [t.factor.title, factor],
          [t.sessions.maxAge, maxAgeHours === null ? t.sessions.never : hours(maxAgeHours)],
          [t.sessions.idle, idleMinutes === null ? t.sessions.never : minutes(idleMinutes)],
          [t.sessions.stepUp, stepUpMinutes === null ? t.sessions.stepUpNever : minutes(stepUpMinutes)],
          [t.passwords.minLength, t.passwords.characters({ count: passwords.minLength })],
          [t.passwords.common, passwords.refuseCommon ? t.passwords.refused : t.passwords.allowed],
          [t.networks.label, list(networks.allow) || t.networks.any],
          [t.members.label, list(members.domains) || t.members.any],
        ]}
      />
    </Card>
  )
}
