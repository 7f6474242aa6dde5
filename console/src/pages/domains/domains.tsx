import { useState } from 'react'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { PageFor } from '../../ui/Can.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { OWNER_ROLE } from '../members/queries.ts'
import { SettingsTabs } from '../settings/SettingsTabs.tsx'
import { AddDialog } from './AddDialog.tsx'
import { DomainCard } from './DomainCard.tsx'

/** A company can have 20. */
const SHOWN_MAX = 100

export function DomainsPage() {
  const t = useTexts('domains')
  const isOwner = useCompany().roles.includes(OWNER_ROLE)
  const [isAdding, setAdding] = useState(false)
  const add = isOwner && (
    <Button variant="primary" icon="add" onClick={() => setAdding(true)}>
      {t.add.action}
    </Button>
  )
  return (
    <PageFor permission="domains:read">
      <Page narrow title={t.title} intro={isOwner ? t.intro : `${t.intro} ${t.ownersOnly}`} actions={add}>
        <SettingsTabs />
        <Domains isOwner={isOwner} />
      </Page>
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
    </PageFor>
  )
}

function Domains({ isOwner }: { isOwner: boolean }) {
  const t = useTexts('domains')
  const { data, error, refetch } = useCompanyQuery(['domains'], (scope, options) =>
    scope.domains.page({ limit: SHOWN_MAX, sortBy: 'name', sortDir: 'asc' }, options),
  )
  if (error && !data) return <ErrorState problem={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={5} />
  if (data.items.length === 0) return <EmptyState boxed icon="mail" title={t.none} message={t.noneHint} />
  return data.items.map((domain) => <DomainCard key={domain.id} domain={domain} isOwner={isOwner} />)
}
