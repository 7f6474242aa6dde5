import { useTexts } from '../../texts/use-texts.ts'
import { Checkbox, Select, TextArea } from '../../ui/Field.tsx'
import { Card } from '../../ui/Page.tsx'
import type { Form } from '../../ui/use-form.ts'
import { useDurations } from './durations.ts'
import type { PolicyValues } from './policy-values.ts'

interface SectionProps {
  form: Form<PolicyValues>
}

export function SessionFields({ form }: SectionProps) {
  const { sessions: t } = useTexts('policy')
  const { maxAge, idle, stepUp } = useDurations()
  return (
    <Card title={t.title} intro={t.intro}>
      <Select label={t.maxAge} options={maxAge(form.values.maxAge)} {...form.field('maxAge')} />
      <Select label={t.idle} hint={t.idleHint} options={idle(form.values.idle)} {...form.field('idle')} />
      <Select label={t.stepUp} hint={t.stepUpHint} options={stepUp(form.values.stepUp)} {...form.field('stepUp')} />
    </Card>
  )
}

export function PasswordFields({ form }: SectionProps) {
  const { passwords: t } = useTexts('policy')
  const options = [8, 12, 15].map((count) => ({ value: String(count), label: t.characters({ count }) }))
  return (
    <Card title={t.title} intro={t.intro}>
      <Select label={t.minLength} options={options} {...form.field('minLength')} />
      <Checkbox
        label={t.refuseCommon}
        checked={form.values.refuseCommon}
        onChange={(refuseCommon) => form.set({ refuseCommon })}
      />
    </Card>
  )
}

export function NetworkFields({ form }: SectionProps) {
  const { networks: t } = useTexts('policy')
  return (
    <Card title={t.title}>
      <TextArea optional label={t.label} hint={t.hint} rows={3} spellCheck={false} {...form.field('networks')} />
    </Card>
  )
}

export function DomainFields({ form }: SectionProps) {
  const { members: t } = useTexts('policy')
  const { members, isAlsoAdded } = form.values
  return (
    <Card title={t.title}>
      <TextArea optional label={t.label} hint={t.hint} rows={3} spellCheck={false} {...form.field('members')} />
      {members.trim() !== '' && (
        <Checkbox
          label={t.also}
          hint={t.alsoHint}
          checked={isAlsoAdded}
          onChange={(isAlsoAdded) => form.set({ isAlsoAdded })}
        />
      )}
    </Card>
  )
}
