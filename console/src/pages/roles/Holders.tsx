import { Link } from '@tanstack/react-router'
import type { Role } from '@tenantry/client'
import { useState } from 'react'
import { useRoleLabel } from '../../api/built-in-roles.ts'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { Can } from '../../ui/Can.tsx'
import { ChooseMember } from '../../ui/ChooseMember.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { useLacking } from './catalogue.ts'
import styles from './roles.module.css'

/** How many members have the role, and the way to them or to the first one. */
export function Holders({ role }: { role: Role }) {
  const t = useTexts('roles').holders
  const { can, path } = useCompany()
  const { memberCount } = role
  return (
    <div className={styles.holders}>
      <Icon name="members" />
      <span>{memberCount > 0 ? t.count({ count: memberCount }) : t.none}</span>
      {memberCount > 0 && can('users:read') && (
        <Link to={path('members')} search={{ roleId: role.id }}>
          {t.link}
        </Link>
      )}
      {can('users:read') && <GiveButtons role={role} />}
    </div>
  )
}

const OWNER = 'Owner'

function GiveButtons({ role: { id, name, permissions, isSystem } }: { role: Role }) {
  const t = useTexts('roles').holders
  const { path, roles } = useCompany()
  const label = useRoleLabel()({ name, isSystem })
  const [isGiving, setGiving] = useState(false)
  const isMine = useLacking()(permissions).length === 0 && (!isSystem || name !== OWNER || roles.includes(OWNER))
  if (!isMine) return null
  return (
    <div className={styles.give}>
      <Can permission="users:update">
        <Button size="small" onClick={() => setGiving(true)}>
          {t.give}
        </Button>
      </Can>
      <Can permission="users:create">
        <ButtonLink size="small" to={path('members')} search={{ add: '1', roleId: id }}>
          {t.add}
        </ButtonLink>
      </Can>
      {isGiving && (
        <ChooseMember
          title={t.giveTitle({ name: label })}
          intro={t.giveIntro}
          action={t.give}
          reasonAgainst={({ roleIds }) => (roleIds.includes(id) ? t.has : undefined)}
          changeOf={({ roleIds }) => ({ roleIds: [...new Set([...roleIds, id])] })}
          done={(member) => t.given({ member, name: label })}
          onClose={() => setGiving(false)}
        />
      )}
    </div>
  )
}
