import type { JoinRequest } from '@tenantry/client'
import { useState } from 'react'
import { useCompany, useCompanyQuery, useRefreshCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Identity } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { PageFor } from '../../ui/Can.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Pagination } from '../../ui/Lists.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { toast } from '../../ui/toasts.ts'
import styles from '../members/members.module.css'
import { ApproveDialog } from './ApproveDialog.tsx'
import { MembersTabs } from './MembersTabs.tsx'

const LIMIT = 20

export function JoinRequestsPage() {
  const { requests: t } = useTexts('inviting')
  return (
    <PageFor permission="users:read">
      <Page title={t.title} intro={t.intro}>
        <MembersTabs />
        <Requests />
      </Page>
    </PageFor>
  )
}

function Requests() {
  const { requests: t } = useTexts('inviting')
  const [page, setPage] = useState(1)
  const { data, error, refetch } = useCompanyQuery(['join-requests', page], (scope, options) =>
    scope.joinRequests.page({ page, limit: LIMIT, sortBy: 'created_at', sortDir: 'asc' }, options),
  )
  if (error && !data) return <ErrorState problem={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={4} />
  if (data.items.length === 0 && page === 1)
    return <EmptyState boxed icon="members" title={t.none} message={t.noneHint} />
  return (
    <>
      <RequestTable requests={data.items} />
      <Pagination page={page} limit={LIMIT} total={data.total} onPage={setPage} />
    </>
  )
}

function RequestTable({ requests }: { requests: JoinRequest[] }) {
  const t = useTexts('inviting')
  const { can } = useCompany()
  const { day } = useFormat()
  const [deed, setDeed] = useState<{ what: 'approve' | 'decline'; request: JoinRequest }>()
  const close = () => setDeed(undefined)
  const columns: Column<JoinRequest>[] = [
    {
      key: 'name',
      header: t.person,
      primary: true,
      cell: ({ account }) => <Identity name={account.name} detail={account.email} />,
    },
    {
      key: 'created_at',
      header: t.requests.asked,
      cell: ({ created_at }) => <span className={styles.quiet}>{day(created_at)}</span>,
    },
  ]
  const buttons = (request: JoinRequest) => {
    const { name } = request.account
    return (
      <span className={styles.badges}>
        <Button
          size="small"
          aria-label={t.requests.approveOf({ name })}
          onClick={() => setDeed({ what: 'approve', request })}
        >
          {t.requests.approve}
        </Button>
        <Button
          size="small"
          variant="quiet"
          aria-label={t.requests.declineOf({ name })}
          onClick={() => setDeed({ what: 'decline', request })}
        >
          {t.requests.decline}
        </Button>
      </span>
    )
  }
  return (
    <>
      <Table
        label={t.requests.title}
        columns={columns}
        rows={requests}
        keyOf={({ id }) => id}
        {...(can('users:create') && { actions: buttons })}
      />
      {deed?.what === 'approve' && <ApproveDialog request={deed.request} onClose={close} />}
      {deed?.what === 'decline' && <DeclineDialog request={deed.request} onClose={close} />}
    </>
  )
}

function DeclineDialog({ request, onClose }: { request: JoinRequest; onClose: () => void }) {
  const { requests: t } = useTexts('inviting')
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const decline = async () => {
    await scope.joinRequests.decline(request.id)
    toast(t.declined)
    await refresh()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.declineTitle({ name: request.account.name })}
      intro={t.declineIntro}
      action={t.decline}
      onConfirm={decline}
    />
  )
}
