import { useEffect, useRef, useState } from 'react'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Can, PageFor } from '../../ui/Can.tsx'
import { FilterSelect } from '../../ui/Field.tsx'
import { Pagination, SearchField, Toolbar } from '../../ui/Lists.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { InvitationTable } from './InvitationTable.tsx'
import { InviteDialog } from './InviteDialog.tsx'
import { Links } from './Links.tsx'
import { MembersTabs } from './MembersTabs.tsx'
import { LIMIT, STATUSES, useInvitationFilters } from './use-filters.ts'

export function InvitationsPage() {
  const t = useTexts('inviting')
  const [inviting, setInviting] = useInviting()
  const invite = (
    <Can permission="users:create">
      <Button variant="primary" icon="mail" onClick={() => setInviting({})}>
        {t.invite.action}
      </Button>
    </Can>
  )
  return (
    <PageFor permission="users:read">
      <Page title={t.title} intro={t.intro} actions={invite}>
        <MembersTabs />
        <Filters />
        <Invitations onInvite={(email) => setInviting({ email })} />
        <Links />
      </Page>
      {inviting && <InviteDialog email={inviting.email} onClose={() => setInviting(undefined)} />}
    </PageFor>
  )
}

/** What the dialog begins with, while it is open. A link can ask for it: `?invite=1`. */
function useInviting() {
  const { isInviteWanted, forgetInvite } = useInvitationFilters()
  const isAllowed = useCompany().can('users:create')
  const state = useState<{ email?: string } | undefined>(isInviteWanted && isAllowed ? {} : undefined)
  const forget = useRef(forgetInvite)
  forget.current = forgetInvite
  useEffect(() => {
    if (isInviteWanted) forget.current()
  }, [isInviteWanted])
  return state
}

function Filters() {
  const t = useTexts('inviting')
  const { filters, change } = useInvitationFilters()
  const options = [
    ...STATUSES.map((value) => ({ value: value as string, label: t[value] })),
    { value: 'all', label: t.all },
  ]
  return (
    <Toolbar>
      <SearchField label={t.search} value={filters.search} onSearch={(search) => change({ search })} />
      <FilterSelect
        label={t.filter}
        options={options}
        value={filters.status}
        onChange={(status) => change({ status: status as typeof filters.status })}
      />
    </Toolbar>
  )
}

function Invitations({ onInvite }: { onInvite: (email: string) => void }) {
  const t = useTexts('inviting')
  const common = useTexts('common')
  const { filters, query, change } = useInvitationFilters()
  const { data, error, refetch, isPlaceholderData } = useCompanyQuery(['invitations', query], (scope, options) =>
    scope.invitations.page(query, options),
  )
  if (error && !data) return <ErrorState problem={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={5} />
  if (data.items.length === 0)
    return filters.search || filters.status !== 'pending' || filters.page > 1 ? (
      <EmptyState boxed title={common.noResults} message={common.noResultsHint} />
    ) : (
      <EmptyState boxed icon="mail" title={t.none} message={t.noneHint} />
    )
  return (
    <>
      <InvitationTable invitations={data.items} busy={isPlaceholderData} onInvite={onInvite} />
      <Pagination page={filters.page} limit={LIMIT} total={data.total} onPage={(page) => change({ page })} />
    </>
  )
}
