import type { Account } from '@tenantry/client'
import { languages } from '../../../../src/lib/languages.ts'
import { useSignedIn } from '../../api/tenantry.ts'
import { isTag } from '../../texts/language.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { type Choice, Select } from '../../ui/Field.tsx'
import { Form, FormButtons } from '../../ui/Form.tsx'
import { Card } from '../../ui/Page.tsx'
import { toast } from '../../ui/toasts.ts'
import { useForm } from '../../ui/use-form.ts'
import { saveChanged } from './save-changed.ts'

const valuesOf = ({ locale, timezone }: Account) => ({ locale, timezone })

export function LanguageCard() {
  const t = useTexts('account').language
  const { account } = useSignedIn()
  const form = useForm({
    initial: valuesOf(account),
    submit: async (values) => {
      form.reset(valuesOf(await saveChanged(account, values)))
      toast(t.saved)
    },
  })
  const device = Intl.DateTimeFormat().resolvedOptions().timeZone
  const zones: Choice[] = [
    { value: '', label: t.noTimeZone },
    { value: device, label: t.thisDevice({ zone: readable(device) }) },
    ...zonesBut(device, account.timezone).map((zone) => ({ value: zone, label: readable(zone) })),
  ]
  return (
    <Card title={t.heading} intro={t.intro}>
      <Form form={form}>
        <Select
          label={t.language}
          hint={t.languageHint}
          {...form.field('locale')}
          options={[{ value: '', label: t.sameAsBrowser }, ...languageChoices(account.locale)]}
        />
        <Select label={t.timeZone} hint={t.timeZoneHint} {...form.field('timezone')} options={zones} />
        <FormButtons form={form} variant="secondary">
          {t.submit}
        </FormButtons>
      </Form>
    </Card>
  )
}

/** Each in its own language, with what the account has already: `pt-BR` stays one, also for dates and numbers. */
function languageChoices(current: string): Choice[] {
  const tags = new Set<string>([...languages, ...(isTag(current) ? [current] : [])])
  return [...tags].map((tag) => ({ value: tag, label: ownName(tag) }))
}

function ownName(tag: string): string {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
}

function zonesBut(device: string, current: string): string[] {
  const all = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...(current ? [current] : [])])
  all.delete(device)
  return [...all].sort()
}

const readable = (zone: string) => zone.replaceAll('_', ' ')
