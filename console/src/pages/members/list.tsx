import { Link } from '@tanstack/react-router'
import type { Member } from '@tenantry/client'
import { useEffect, useRef, useState } from 'react'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useSignedIn } from '../../api/tenantry.ts'
import { useCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Identity } from '../../ui/Avatar.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Can, PageFor } from '../../ui/Can.tsx'
import { Pagination } from '../../ui/Lists.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { InviteDialog } from '../inviting/InviteDialog.tsx'
import { MembersTabs } from '../inviting/MembersTabs.tsx'
import { AddMember } from './AddMember.tsx'
import type { Given } from './adding.ts'
import { Filters } from './Filters.tsx'
import styles from './members.module.css'
import { useMembers } from './queries.ts'
import { StatusBadge } from './StatusBadge.tsx'
import { LIMIT, useMemberFilters } from './use-filters.ts'

export function MembersPage() {
  const t = useTexts('members')
  const { invite } = useTexts('inviting')
  const [adding, setAdding] = useAdding()
  const [isInviting, setInviting] = useState(false)
  const add = (
    <Can permission="users:create">
      <Button icon="mail" onClick={() => setInviting(true)}>
        {invite.action}
      </Button>
      <Button variant="primary" icon="add" onClick={() => setAdding({})}>
        {t.add.action}
      </Button>
    </Can>
  )
  return (
    <PageFor permission="users:read">
      <Page title={t.title} intro={t.intro} actions={add}>
        <MembersTabs />
        <Filters />
        <Members />
      </Page>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {adding && <AddMember given={adding} onClose={() => setAdding(undefined)} />}
    </PageFor>
  )
}

/** What the dialog begins with, while it is open. A link can ask for it: `?add=1&roleId=…`. */
function useAdding() {
  const { isAddWanted, forgetAdd, filters } = useMemberFilters()
  const isAllowed = useCompany().can('users:create')
  const wanted: Given | undefined =
    isAddWanted && isAllowed ? { roleId: filters.roleId, branchId: filters.branchId } : undefined
  const state = useState(wanted)
  const forget = useRef(forgetAdd)
  forget.current = forgetAdd
  useEffect(() => {
    if (isAddWanted) forget.current()
  }, [isAddWanted])
  return state
}

function Members() {
  const t = useTexts('members')
  const { query, sorting, sort, toPage } = useMemberFilters()
  const { data, error, refetch, isPlaceholderData } = useMembers(query)
  const columns = useColumns()
  if (error && !data) return <ErrorState problem={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={9} />
  if (data.items.length === 0) return <NoMembers />
  return (
    <>
      <Table
        label={t.title}
        columns={columns}
        rows={data.items}
        keyOf={({ id }) => id}
        sorting={sorting}
        onSort={sort}
        busy={isPlaceholderData}
      />
      <Pagination page={query.page} limit={LIMIT} total={data.total} onPage={toPage} />
    </>
  )
}

/** Someone is always there, so that it is the filters or the page. */
function NoMembers() {
  const t = useTexts('members')
  const common = useTexts('common')
  const { isNarrowed, query, clear, toPage } = useMemberFilters()
  if (query.page > 1) {
    const first = <Button onClick={() => toPage(1)}>{t.firstPage}</Button>
    return <EmptyState boxed icon="members" title={t.emptyPage} message={t.emptyPageHint} action={first} />
  }
  const action = isNarrowed && <Button onClick={clear}>{t.clearFilters}</Button>
  return <EmptyState boxed title={common.noResults} message={common.noResultsHint} action={action} />
}

function useColumns(): Column<Member>[] {
  const t = useTexts('members')
  const { day } = useFormat()
  return [
    { key: 'name', header: t.fields.name, primary: true, sortable: true, cell: (member) => <Who member={member} /> },
    { key: 'roles', header: t.fields.roles, cell: (member) => <Roles names={member.roles} /> },
    { key: 'position', header: t.fields.position, cell: ({ position }) => position },
    { key: 'status', header: t.fields.status, sortable: true, cell: ({ status }) => <StatusBadge status={status} /> },
    {
      key: 'created_at',
      header: t.fields.joined,
      sortable: true,
      wideOnly: true,
      cell: ({ created_at }) => (
        <time className={styles.quiet} dateTime={created_at}>
          {day(created_at)}
        </time>
      ),
    },
  ]
}

function Who({ member: { id, name, email } }: { member: Member }) {
  const t = useTexts('members')
  const { path } = useCompany()
  const isSelf = useSignedIn().account.id === id
  return (
    <Identity name={name} detail={email}>
      <Link to={path(`members/${id}`)}>{name}</Link> {isSelf && <Badge>{t.you}</Badge>}
    </Identity>
  )
}

function Roles({ names }: { names: string[] }) {
  const roleLabel = useRoleLabel()
  return (
    <span className={styles.badges}>
      {names.map((name) => (
        <Badge key={name}>{roleLabel({ name })}</Badge>
      ))}
    </span>
  )
}
