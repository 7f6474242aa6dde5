import { useInfiniteQuery } from '@tanstack/react-query'
import type { AuditRecord } from '@tenantry/client'
import { useState } from 'react'
import { inCompany } from '../../api/queries.ts'
import { useCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { PageFor } from '../../ui/Can.tsx'
import { LoadMore } from '../../ui/Lists.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import styles from './audit.module.css'
import { ExportDialog } from './ExportDialog.tsx'
import { FilterBar } from './FilterBar.tsx'
import { type Filters, queryOf, useFilters } from './filters.ts'
import { NamesProvider, useNamesIn } from './names.ts'
import { RecordItem } from './RecordItem.tsx'
import { Seal } from './Seal.tsx'

export function AuditPage() {
  return (
    <PageFor permission="audit:read">
      <AuditLog />
    </PageFor>
  )
}

function AuditLog() {
  const t = useTexts('audit')
  const { filters } = useFilters()
  const [isExporting, setExporting] = useState(false)
  const log = useRecords(filters)
  const records = log.data?.pages.flatMap(({ items }) => items) ?? []
  const names = useNamesIn(records)
  return (
    <Page
      title={t.title}
      intro={t.intro}
      actions={
        <Button icon="download" onClick={() => setExporting(true)}>
          {t.export.open}
        </Button>
      }
    >
      <Seal />
      <FilterBar records={records} />
      {log.error && records.length === 0 ? (
        <ErrorState problem={log.error} onRetry={() => void log.refetch()} />
      ) : !log.data ? (
        <Skeleton />
      ) : (
        <NamesProvider value={names}>
          <Records records={records} />
        </NamesProvider>
      )}
      {log.error && records.length > 0 && <ErrorState problem={log.error} onRetry={() => void log.fetchNextPage()} />}
      <LoadMore hasMore={log.hasNextPage} busy={log.isFetchingNextPage} onMore={() => void log.fetchNextPage()} />
      {isExporting && <ExportDialog onClose={() => setExporting(false)} />}
    </Page>
  )
}

const LIMIT = 50

function useRecords(filters: Filters) {
  const { id, scope } = useCompany()
  return useInfiniteQuery({
    queryKey: inCompany(id, 'audit', filters),
    queryFn: ({ pageParam, signal }) =>
      scope.audit.page({ ...queryOf(filters), limit: LIMIT, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // What other filters found would pass for what these find.
    placeholderData: undefined,
  })
}

function Records({ records }: { records: AuditRecord[] }) {
  const t = useTexts('audit')
  const { dayName } = useFormat()
  const { isFiltered, clear } = useFilters()
  if (records.length === 0)
    return isFiltered ? (
      <EmptyState boxed title={t.noMatches} action={<Button onClick={clear}>{t.filters.clear}</Button>} />
    ) : (
      <EmptyState boxed icon="audit" title={t.empty} message={t.emptyMessage} />
    )
  const days = Map.groupBy(records, ({ created_at }) => dayName(created_at))
  return (
    <section className={styles.days} aria-label={t.list}>
      {[...days].map(([day, inDay]) => (
        <div key={day} className={styles.day}>
          <h2 className={styles.dayName}>{day}</h2>
          <ol className={styles.records}>
            {inDay.map((record) => (
              <RecordItem key={record.id} record={record} />
            ))}
          </ol>
        </div>
      ))}
    </section>
  )
}
