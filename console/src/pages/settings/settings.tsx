import { useSignedIn } from '../../api/tenantry.ts'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Card, Page } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { CompanyFacts } from './CompanyFacts.tsx'
import { CompanyForm } from './CompanyForm.tsx'
import { Danger } from './Danger.tsx'
import { Ownership } from './Ownership.tsx'
import { SettingsTabs } from './SettingsTabs.tsx'
import { useTransfer } from './use-transfer.ts'

export function SettingsPage() {
  const t = useTexts('settings')
  const { account } = useSignedIn()
  const transfer = useTransfer()
  // What waits for the person comes first.
  const isReceived = transfer.data?.to.id === account.id
  return (
    <Page narrow title={t.title} intro={t.intro}>
      <SettingsTabs />
      {isReceived && <Ownership state={transfer} />}
      <General />
      {!isReceived && <Ownership state={transfer} />}
      <Danger />
    </Page>
  )
}

function General() {
  const t = useTexts('settings').general
  const { can } = useCompany()
  const { data: company, error, refetch } = useCompanyQuery(['company'], (scope, options) => scope.get(options))
  if (error && !company) return <ErrorState problem={error} onRetry={() => void refetch()} />
  if (!company) return <Skeleton />
  return can('companies:update') ? (
    <Card title={t.title}>
      <CompanyForm company={company} />
    </Card>
  ) : (
    <Card title={t.title} intro={t.readOnly}>
      <CompanyFacts company={company} />
    </Card>
  )
}
