import type { Company } from '@tenantry/client'
import { useFormat } from '../../texts/format.ts'
import { useLocale } from '../../texts/language.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Facts } from '../../ui/Page.tsx'
import { languageName, zoneName } from './choices.ts'

/** For people who may not change it. */
export function CompanyFacts({ company }: { company: Company }) {
  const t = useTexts('settings').fields
  const { day } = useFormat()
  const locale = useLocale()
  return (
    <Facts
      facts={[
        [t.name, company.name],
        [t.slug, company.slug],
        [t.taxId, company.taxId],
        [t.timezone, company.timezone ? zoneName(company.timezone) : t.notSet],
        [t.locale, company.locale ? languageName(company.locale, locale) : t.notSet],
        [t.created, day(company.created_at)],
      ]}
    />
  )
}
