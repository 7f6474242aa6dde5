import { type ReactNode, useState } from 'react'
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
      <Names names={member.roles} />
    </Part>
  )
}

export function BranchesCard({ member, canEdit }: CardProps) {
  const t = useTexts('members')
  const { can } = useCompany()
  const { branchIds } = member
  const all = useBranches(can('branches:read') && branchIds.length > 0).data?.items
  if (!can('branches:read')) return null
  const known = all?.filter(({ id }) => branchIds.includes(id)).map((branch) => pathOf(branch, all)) ?? []
  // Not all branches of a large company are in one answer.
  const others = all ? branchIds.length - known.length : 0
  return (
    <Part {...{ member, canEdit }} title={t.fields.branches} action={t.detail.editBranches} edit={EditBranches}>
      {branchIds.length === 0 ? (
        <p className={styles.quiet}>{t.detail.noBranches}</p>
      ) : (
        <Names names={others > 0 ? [...known, t.detail.otherBranches({ count: others })] : known} />
      )}
    </Part>
  )
}

const Names = ({ names }: { names: string[] }) => (
  <div className={styles.badges}>
    {names.map((name) => (
      <Badge key={name}>{name}</Badge>
    ))}
  </div>
)
