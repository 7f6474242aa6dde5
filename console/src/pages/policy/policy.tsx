import type { Policy, Versioned } from '@tenantry/client'
import { useState } from 'react'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Can, PageFor } from '../../ui/Can.tsx'
import { Page } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { SettingsTabs } from '../settings/SettingsTabs.tsx'
import { Compliance } from './Compliance.tsx'
import { PolicyFacts } from './PolicyFacts.tsx'
import { PolicyForm } from './PolicyForm.tsx'

export function PolicyPage() {
  const t = useTexts('policy')
  return (
    <PageFor permission="policy:read">
      <Page narrow title={t.title} intro={t.intro}>
        <SettingsTabs />
        <Current />
        <Can permission="users:read">
          <Compliance />
        </Can>
      </Page>
    </PageFor>
  )
}

function Current() {
  const t = useTexts('policy')
  const { can } = useCompany()
  const [hasConflict, setConflict] = useState(false)
  const { data, error, refetch } = useCompanyQuery(['policy'], (scope, options) => scope.policy.get(options))
  if (error && !data) return <ErrorState problem={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={8} />
  if (!can('policy:update')) return <PolicyFacts policy={data} />
  const policy: Versioned<Policy> = data
  return (
    <>
      {hasConflict && <Alert tone="warning">{t.conflict}</Alert>}
      {/* What was saved is what the form begins with. */}
      <PolicyForm
        key={policy.etag}
        policy={policy}
        onConflict={() => setConflict(true)}
        onSaved={() => setConflict(false)}
      />
    </>
  )
}
