import type { Company, Versioned } from '@tenantry/client'
import { useLocale } from '../../texts/language.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { DiffDialog } from '../../ui/DiffDialog.tsx'
import { Select, TextField } from '../../ui/Field.tsx'
import { FieldGroup, Form, FormButtons } from '../../ui/Form.tsx'
import { languageChoices, zoneChoices } from './choices.ts'
import { useCompanyForm } from './use-company-form.ts'

export function CompanyForm({ company }: { company: Versioned<Company> }) {
  const { fields: t } = useTexts('settings')
  const { saveChanges } = useTexts('common')
  const locale = useLocale()
  const { form, conflict } = useCompanyForm(company)
  const notSet = { value: '', label: t.notSet }
  return (
    <Form form={form}>
      <FieldGroup>
        <TextField label={t.name} {...form.field('name')} autoComplete="organization" />
        <TextField
          label={t.slug}
          hint={t.slugHint}
          {...form.field('slug')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextField label={t.taxId} {...form.field('taxId')} autoComplete="off" />
        <Select
          label={t.timezone}
          hint={t.timezoneHint}
          optional
          options={[notSet, ...zoneChoices(company.timezone)]}
          {...form.field('timezone')}
        />
        <Select
          label={t.locale}
          hint={t.localeHint}
          optional
          options={[notSet, ...languageChoices(company.locale, locale)]}
          {...form.field('locale')}
        />
      </FieldGroup>
      <FormButtons form={form}>{saveChanges}</FormButtons>
      <DiffDialog {...conflict} />
    </Form>
  )
}
