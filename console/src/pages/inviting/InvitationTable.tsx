import type { Invitation } from '@tenantry/client'
import { useState } from 'react'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompany, useRefreshCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Identity } from '../../ui/Avatar.tsx'
import { Badge, type Tone } from '../../ui/Badge.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuItem } from '../../ui/MenuPopup.tsx'
import { type Column, Table } from '../../ui/Table.tsx'
import { toast } from '../../ui/toasts.ts'
import styles from '../members/members.module.css'
import { EditInvitation } from './EditInvitation.tsx'
import type { Status } from './use-filters.ts'

const tones: Partial<Record<Status, Tone>> = { pending: 'accent', accepted: 'success' }

interface TableProps {
  invitations: Invitation[]
  busy: boolean
  /** To an address whose invitation has ended. */
  onInvite: (email: string) => void
}

interface Deed {
  what: 'edit' | 'resend' | 'cancel'
  to: Invitation
}

export function InvitationTable({ invitations, busy, onInvite }: TableProps) {
  const t = useTexts('inviting')
  const { can } = useCompany()
  const [deed, setDeed] = useState<Deed>()
  const close = () => setDeed(undefined)
  const itemsFor = (to: Invitation): MenuItem[] => {
    if (to.status === 'pending')
      return [
        { label: t.edit.action, icon: 'role', onSelect: () => setDeed({ what: 'edit', to }) },
        { label: t.resend.action, icon: 'mail', onSelect: () => setDeed({ what: 'resend', to }) },
        { label: t.cancel.action, icon: 'close', danger: true, onSelect: () => setDeed({ what: 'cancel', to }) },
      ]
    return to.status === 'accepted' ? [] : [{ label: t.again, icon: 'mail', onSelect: () => onInvite(to.email) }]
  }
  const menu = (invitation: Invitation) => {
    const items = itemsFor(invitation)
    const label = t.menu({ email: invitation.email })
    return items.length > 0 && <Menu trigger={<IconButton icon="more" label={label} />} groups={[{ items }]} />
  }
  return (
    <>
      <Table
        label={t.title}
        columns={useColumns()}
        rows={invitations}
        keyOf={({ id }) => id}
        busy={busy}
        {...(can('users:create') && { actions: menu })}
      />
      {deed?.what === 'edit' && <EditInvitation invitation={deed.to} onClose={close} />}
      {(deed?.what === 'resend' || deed?.what === 'cancel') && (
        <DeedDialog what={deed.what} to={deed.to} onClose={close} />
      )}
    </>
  )
}

function useColumns(): Column<Invitation>[] {
  const t = useTexts('inviting')
  const { day, moment } = useFormat()
  const roleLabel = useRoleLabel()
  return [
    {
      key: 'email',
      header: t.person,
      primary: true,
      cell: ({ name, email }) => <Identity name={name || email} detail={name ? email : undefined} />,
    },
    {
      key: 'roles',
      header: t.roles,
      cell: ({ roles }) => (
        <span className={styles.badges}>
          {roles.map(({ id, name }) => (
            <Badge key={id}>{roleLabel({ name })}</Badge>
          ))}
        </span>
      ),
    },
    { key: 'inviter', header: t.inviter, wideOnly: true, cell: ({ inviter }) => inviter?.name ?? t.former },
    {
      key: 'status',
      header: t.status,
      cell: ({ status }) => <Badge tone={tones[status] ?? 'neutral'}>{t[status]}</Badge>,
    },
    {
      key: 'expires_at',
      header: t.expires,
      cell: ({ status, expires_at }) =>
        status === 'pending' && (
          <time className={styles.quiet} dateTime={expires_at} title={moment(expires_at)}>
            {day(expires_at)}
          </time>
        ),
    },
  ]
}

interface DialogProps {
  what: 'resend' | 'cancel'
  to: Invitation
  onClose: () => void
}

function DeedDialog({ what, to, onClose }: DialogProps) {
  const t = useTexts('inviting')
  const { scope } = useCompany()
  const refresh = useRefreshCompany()
  const { email, id } = to
  const isResend = what === 'resend'
  const confirm = async () => {
    if (isResend) await scope.invitations.resend(id)
    else await scope.invitations.revoke(id)
    toast(isResend ? t.resend.done({ email }) : t.cancel.done)
    await refresh()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t[what].title({ email })}
      intro={t[what].intro}
      action={t[what].action}
      variant={isResend ? 'primary' : 'danger'}
      onConfirm={confirm}
    />
  )
}
