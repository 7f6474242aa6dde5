import { Link } from '@tanstack/react-router'
import type { Branch } from '@tenantry/client'
import { type ReactNode, useState } from 'react'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompany } from '../../api/use-company.ts'
import { useFormat } from '../../texts/format.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, Facts } from '../../ui/Page.tsx'
import { EditBranches, EditContact, EditRoles } from './edits.tsx'
import styles from './members.module.css'
import { pathOf } from './Picker.tsx'
import { type CurrentMember, useBranches } from './queries.ts'

export interface CardProps {
  member: CurrentMember
  canEdit: boolean
}

type EditComponent = (props: { member: CurrentMember; onClose: () => void }) => ReactNode

interface PartProps extends CardProps {
  title: string
  intro?: string
  /** The name of the button, which screen readers hear without the heading beside it. */
  action: string
  edit: EditComponent
  children: ReactNode
}

function Part({ title, intro, action, edit: Edit, member, canEdit, children }: PartProps) {
  const { detail: t } = useTexts('members')
  const [isOpen, setOpen] = useState(false)
  const button = canEdit && (
    <Button size="small" aria-label={action} onClick={() => setOpen(true)}>
      {t.edit}
    </Button>
  )
  return (
    <Card title={title} intro={intro} actions={button}>
      {children}
      {isOpen && <Edit member={member} onClose={() => setOpen(false)} />}
    </Card>
  )
}

export function ContactCard(props: CardProps) {
  const t = useTexts('members')
  const { day } = useFormat()
  const { phone, position, created_at } = props.member
  const empty = <span className={styles.quiet}>–</span>
  return (
    <Part
      {...props}
      title={t.detail.contact}
      intro={t.detail.contactIntro}
      action={t.detail.editContact}
      edit={EditContact}
    >
      <Facts
        facts={[
          [t.fields.phone, phone || empty],
          [t.fields.position, position || empty],
          [t.fields.joined, day(created_at)],
        ]}
      />
    </Part>
  )
}

export function RolesCard({ member, canEdit }: CardProps) {
  const t = useTexts('members')
  const { can } = useCompany()
  return (
    <Part
      member={member}
      canEdit={canEdit && can('roles:read')}
      title={t.fields.roles}
      action={t.detail.editRoles}
      edit={EditRoles}
    >
      <div className={styles.badges}>
        {member.roles.map((name, index) => (
          <RoleBadge key={name} name={name} id={member.roleIds[index] ?? ''} />
        ))}
      </div>
    </Part>
  )
}

function RoleBadge({ name, id }: { name: string; id: string }) {
  const { can, path } = useCompany()
  const label = useRoleLabel()({ name })
  if (!can('roles:read')) return <Badge>{label}</Badge>
  return (
    <Link to={path(`roles/${id}`)} className={styles.badgeLink}>
      <Badge>{label}</Badge>
    </Link>
  )
}

/** `isDeferred`: the page has made its two calls, so that names are read when someone asks for them. */
export function BranchesCard({ member, canEdit, isDeferred }: CardProps & { isDeferred: boolean }) {
  const t = useTexts('members')
  const { can } = useCompany()
  const [isWanted, setWanted] = useState(!isDeferred)
  const { branchIds } = member
  const isEmpty = branchIds.length === 0
  const all = useBranches(isWanted && !isEmpty && can('branches:read')).data?.items
  if (!can('branches:read')) return null
  return (
    <Part {...{ member, canEdit }} title={t.fields.branches} action={t.detail.editBranches} edit={EditBranches}>
      {isEmpty && <p className={styles.quiet}>{t.detail.noBranches}</p>}
      {!isEmpty && !isWanted && (
        <div>
          <Button onClick={() => setWanted(true)}>{t.detail.showBranches({ count: branchIds.length })}</Button>
        </div>
      )}
      {all && !isEmpty && <Branches {...{ branchIds, all }} />}
    </Part>
  )
}

/** Not all branches of a large company are in one answer. */
function Branches({ branchIds, all }: { branchIds: string[]; all: Branch[] }) {
  const { detail: t } = useTexts('members')
  const known = all.filter(({ id }) => branchIds.includes(id))
  const others = branchIds.length - known.length
  return (
    <div className={styles.badges}>
      {known.map((branch) => (
        <Badge key={branch.id}>{pathOf(branch, all)}</Badge>
      ))}
      {others > 0 && <Badge>{t.otherBranches({ count: others })}</Badge>}
    </div>
  )
}
