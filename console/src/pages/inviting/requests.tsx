import type { JoinRequest } from '@tenantry/client'
import { useState } from 'react'
import { useCompany, useCompanyQuery, useRefreshCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Identity } from '../../ui/Avatar.tsx'
import { Button } from '../../ui/Button.tsx'
import { Can, PageFor } from '../../ui/Can.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Pagination } from '../../ui/Lists.tsx'
import { Card, Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { toast } from '../../ui/toasts.ts'
import styles from '../invitation/invitation.module.css'
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
      <RequestList requests={data.items} />
      <Pagination page={page} limit={LIMIT} total={data.total} onPage={setPage} />
    </>
  )
}

function RequestList({ requests }: { requests: JoinRequest[] }) {
  const [deed, setDeed] = useState<{ what: 'approve' | 'decline'; request: JoinRequest }>()
  const close = () => setDeed(undefined)
  return (
    <Card>
      <ul className={styles.list}>
        {requests.map((request) => (
          <Item key={request.id} request={request} onDecide={(what) => setDeed({ what, request })} />
        ))}
      </ul>
      {deed?.what === 'approve' && <ApproveDialog request={deed.request} onClose={close} />}
      {deed?.what === 'decline' && <DeclineDialog request={deed.request} onClose={close} />}
    </Card>
  )
}

interface ItemProps {
  request: JoinRequest
  onDecide: (what: 'approve' | 'decline') => void
}

function Item({ request: { account, created_at }, onDecide }: ItemProps) {
  const { requests: t } = useTexts('inviting')
  const { day } = useFormat()
  const { name, email } = account
  return (
    <li className={styles.item}>
      <Identity name={name} detail={email} />
      <span className={styles.quiet}>{t.asked({ day: day(created_at) })}</span>
      <Can permission="users:create">
        <span className={styles.buttons}>
          <Button aria-label={t.approveOf({ name })} onClick={() => onDecide('approve')}>
            {t.approve}
          </Button>
          <Button variant="quiet" aria-label={t.declineOf({ name })} onClick={() => onDecide('decline')}>
            {t.decline}
          </Button>
        </span>
      </Can>
    </li>
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
