import { useQuery } from '@tanstack/react-query'
import type { Company } from '@tenantry/client'
import { useState } from 'react'
import { ofAccount } from '../../api/queries.ts'
import { tenantry } from '../../api/tenantry.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Identity } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { LoadMore } from '../../ui/Lists.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { RestoreDialog } from './RestoreDialog.tsx'

const STEP = 50

export function DeletedCompaniesPage() {
  const t = useTexts('companies').deleted
  const [limit, setLimit] = useState(STEP)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ofAccount('deleted-companies', limit),
    queryFn: ({ signal }) => tenantry.companies.page({ status: 'deleted', limit }, { signal }),
  })
  const hasMore = data !== undefined && data.total > data.items.length && limit < 2 * STEP
  return (
    <Page title={t.title} intro={t.intro}>
      {error ? (
        <ErrorState problem={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton />
      ) : data.items.length === 0 ? (
        <EmptyState boxed icon="company" title={t.empty} message={t.emptyMessage} />
      ) : (
        <DeletedTable companies={data.items} busy={isFetching} />
      )}
      <LoadMore hasMore={hasMore} busy={isFetching} onMore={() => setLimit(2 * STEP)} />
    </Page>
  )
}

function DeletedTable({ companies, busy }: { companies: Company[]; busy: boolean }) {
  const t = useTexts('companies').deleted
  const { day, ago } = useFormat()
  const [restoring, setRestoring] = useState<Company>()
  const columns: Column<Company>[] = [
    { key: 'name', header: t.name, primary: true, cell: ({ name }) => <Identity square name={name} /> },
    { key: 'deleted', header: t.since, cell: ({ deleted_at }) => deleted_at && day(deleted_at) },
    {
      key: 'until',
      header: t.until,
      cell: ({ restorable_until: until }) => until && t.left({ day: day(until), ago: ago(until) }),
    },
  ]
  return (
    <>
      <Table
        label={t.title}
        columns={columns}
        rows={companies}
        keyOf={({ id }) => id}
        busy={busy}
        actions={(company) => (
          <Button size="small" onClick={() => setRestoring(company)}>
            {t.restore}
            <span className="unseen">{company.name}</span>
          </Button>
        )}
      />
      {restoring && <RestoreDialog company={restoring} onClose={() => setRestoring(undefined)} />}
    </>
  )
}
