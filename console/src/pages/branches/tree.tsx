import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button } from '../../ui/Button.tsx'
import { Can, PageFor } from '../../ui/Can.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { FilterSelect } from '../../ui/Field.tsx'
import { SearchField, Toolbar } from '../../ui/Lists.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { BranchDialogs, type Intent } from './BranchDialogs.tsx'
import { BranchPanel } from './BranchPanel.tsx'
import { BranchTree } from './BranchTree.tsx'
import styles from './branches.module.css'
import type { BranchItem } from './tree-rows.ts'
import { type TreeFilters, useBranchTree } from './use-branch-tree.ts'
import { useMoving } from './use-moving.ts'
import { useWide } from './use-wide.ts'

export function BranchesPage() {
  return (
    <PageFor permission="branches:read">
      <Branches />
    </PageFor>
  )
}

function Branches() {
  const t = useTexts('branches')
  const [intent, setIntent] = useState<Intent>()
  const [search, change] = useBranchSearch()
  const tree = useBranchTree(search.filters)
  const moving = useMoving(tree)
  const isEmpty = tree.first.data?.total === 0 && Object.keys(search.filters).length === 0
  const add = (variant: 'primary' | 'secondary') => (
    <Can permission="branches:create">
      <Button variant={variant} icon="add" onClick={() => setIntent({ kind: 'add' })}>
        {t.add}
      </Button>
    </Can>
  )
  return (
    <Page title={t.title} intro={t.intro} actions={!isEmpty && add('primary')}>
      {isEmpty ? (
        <NoBranches action={add('primary')} />
      ) : (
        <>
          <Filters filters={search.filters} onChange={change} />
          <Content {...{ tree, moving, search, change, setIntent }} isBusy={intent !== undefined} />
        </>
      )}
      <BranchDialogs
        intent={intent}
        tree={tree}
        moving={moving}
        onClose={() => setIntent(undefined)}
        onGone={() => change({ branch: undefined })}
      />
    </Page>
  )
}

interface ContentProps {
  tree: ReturnType<typeof useBranchTree>
  moving: ReturnType<typeof useMoving>
  search: Searched
  change: (next: SearchChange) => void
  setIntent: (intent: Intent) => void
  isBusy: boolean
}

/** The tree, and beside it the branch that was selected; where there is no room beside, it is a dialog. */
function Content({ tree, moving, search: { filters, branch: id }, change, setIntent, isBusy }: ContentProps) {
  const t = useTexts('branches').panel
  const common = useTexts('common')
  const { can } = useCompany()
  const isWide = useWide()
  const branch = id ? tree.known.all.get(id) : undefined
  if (tree.first.error && tree.rows.length === 0)
    return <ErrorState problem={tree.first.error} onRetry={() => void tree.first.refetch()} />
  if (!tree.first.data && tree.known.all.size === 0) return <Skeleton lines={8} />
  if (tree.known.all.size === 0) return <EmptyState boxed title={common.noResults} message={common.noResultsHint} />
  const close = () => change({ branch: undefined })
  const panel = branch && <BranchPanel tree={tree} branch={branch} onIntent={setIntent} isTitled={isWide} />
  const actions = {
    select: ({ id }: BranchItem) => change({ branch: id }),
    edit: can('branches:update') ? (branch: BranchItem) => setIntent({ kind: 'edit', branch }) : undefined,
    remove: can('branches:delete') ? (branch: BranchItem) => setIntent({ kind: 'delete', branch }) : undefined,
  }
  return (
    <div className={styles.columns}>
      <BranchTree {...{ tree, moving, actions }} selected={branch} search={filters.search ?? ''} />
      {isWide ? (
        <aside className={styles.aside} aria-label={branch ? t.label({ name: branch.name }) : undefined}>
          {panel ?? <p className={styles.quiet}>{t.none}</p>}
        </aside>
      ) : (
        branch && (
          <Dialog open={!isBusy} onClose={close} title={branch.name}>
            {panel}
          </Dialog>
        )
      )}
    </div>
  )
}

function NoBranches({ action }: { action: React.ReactNode }) {
  const t = useTexts('branches').empty
  const { can } = useCompany()
  const message = can('branches:create') ? t.message : t.messagePlain
  return <EmptyState boxed icon="branch" title={t.title} message={message} action={action} />
}

function Filters({ filters, onChange }: { filters: TreeFilters; onChange: (next: SearchChange) => void }) {
  const t = useTexts('branches').filters
  const options = [
    { value: '', label: t.all },
    { value: 'active', label: t.onlyActive },
    { value: 'inactive', label: t.onlyInactive },
  ]
  return (
    <Toolbar>
      <SearchField label={t.search} value={filters.search ?? ''} onSearch={(search) => onChange({ search })} />
      <FilterSelect
        label={t.status}
        options={options}
        value={filters.status ?? ''}
        onChange={(status) => onChange({ status })}
      />
    </Toolbar>
  )
}

interface Searched {
  filters: TreeFilters
  branch: string | undefined
}
type SearchChange = { search?: string; status?: string; branch?: string | undefined }

/** What is shown is in the address: filters, and the selected branch. */
function useBranchSearch(): [Searched, (next: SearchChange) => void] {
  const written: Record<string, string> = useSearch({ strict: false })
  const navigate = useNavigate()
  const filters: TreeFilters = {
    ...(written.search && { search: written.search }),
    ...(/^(active|inactive)$/.test(written.status ?? '') && { status: written.status as 'active' }),
  }
  const change = (next: SearchChange) => {
    const whole = Object.entries({ ...filters, branch: written.branch, ...next }).filter(([, value]) => value)
    void navigate({ to: '.', search: Object.fromEntries(whole), replace: true })
  }
  return [{ filters, branch: written.branch }, change]
}
