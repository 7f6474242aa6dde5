import type { InvitationLink } from '@tenantry/client'
import { useState } from 'react'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompany, useCompanyQuery, useRefreshCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Can } from '../../ui/Can.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Card } from '../../ui/Page.tsx'
import { ErrorState, Skeleton } from '../../ui/States.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { toast } from '../../ui/toasts.ts'
import styles from '../members/members.module.css'
import { LinkDialog } from './LinkDialog.tsx'

/** A company can have 50 that are active; older ones are kept for 90 days. */
const SHOWN_MAX = 100

export function Links() {
  const { links: t } = useTexts('inviting')
  const [isCreating, setCreating] = useState(false)
  const { data, error, refetch } = useCompanyQuery(['invitation-links'], (scope, options) =>
    scope.invitationLinks.page({ limit: SHOWN_MAX, sortBy: 'created_at', sortDir: 'desc' }, options),
  )
  const create = (
    <Can permission="users:create">
      <Button onClick={() => setCreating(true)}>{t.action}</Button>
    </Can>
  )
  return (
    <Card title={t.title} intro={t.intro} actions={create}>
      {error && !data ? (
        <ErrorState problem={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={2} />
      ) : data.items.length === 0 ? (
        <p className={styles.quiet}>{t.none}</p>
      ) : (
        <LinkTable links={data.items} />
      )}
      {isCreating && <LinkDialog onClose={() => setCreating(false)} />}
    </Card>
  )
}

function LinkTable({ links }: { links: InvitationLink[] }) {
  const t = useTexts('inviting')
  const { day, list, moment } = useFormat()
  const { can } = useCompany()
  const roleLabel = useRoleLabel()
  const namesOf = ({ roles }: InvitationLink) => roles.map(({ name }) => roleLabel({ name }))
  const [canceling, setCanceling] = useState<InvitationLink>()
  const { active, used_up } = t.links
  const labels = { active, used_up, expired: t.expired, revoked: t.revoked }
  const columns: Column<InvitationLink>[] = [
    { key: 'roles', header: t.roles, primary: true, cell: (link) => list(namesOf(link)) },
    { key: 'uses', header: t.links.used, cell: ({ uses, maxUses: max }) => t.links.usesOf({ uses, max }) },
    { key: 'domains', header: t.links.domain, cell: ({ allowedDomains: all }) => list(all) || t.links.anyDomain },
    {
      key: 'status',
      header: t.status,
      cell: ({ status }) => <Badge tone={status === 'active' ? 'success' : 'neutral'}>{labels[status]}</Badge>,
    },
    {
      key: 'expires',
      header: t.expires,
      cell: ({ status, expires_at }) =>
        status === 'active' && (
          <time className={styles.quiet} dateTime={expires_at} title={moment(expires_at)}>
            {day(expires_at)}
          </time>
        ),
    },
  ]
  const cancel = (link: InvitationLink) =>
    link.status === 'active' && (
      <IconButton
        icon="close"
        label={t.links.cancelOf({ roles: list(namesOf(link)) })}
        onClick={() => setCanceling(link)}
      />
    )
  return (
    <>
      <Table
        label={t.links.title}
        columns={columns}
        rows={links}
        keyOf={({ id }) => id}
        {...(can('users:create') && { actions: cancel })}
      />
      {canceling && <CancelDialog link={canceling} onClose={() => setCanceling(undefined)} />}
    </>
  )
}

function CancelDialog({ link, onClose }: { link: InvitationLink; onClose: () => void }) {
  const { links: t } = useTexts('inviting')
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const cancel = async () => {
    await scope.invitationLinks.revoke(link.id)
    toast(t.canceled)
    await refresh()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.cancelTitle}
      intro={t.cancelIntro}
      action={t.cancel}
      onConfirm={cancel}
    />
  )
}
