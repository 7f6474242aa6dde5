import { Link } from '@tanstack/react-router'
import type { Role } from '@tenantry/client'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Icon } from '../../ui/Icon.tsx'
import styles from './roles.module.css'

/** How many members have the role, and the way to them. */
export function Holders({ role }: { role: Role }) {
  const t = useTexts('roles').holders
  const { can, path } = useCompany()
  return (
    <p className={styles.holders}>
      <Icon name="members" />
      {role.memberCount > 0 ? t.count({ count: role.memberCount }) : t.none}
      {role.memberCount > 0 && can('users:read') && (
        <Link to={path('members')} search={{ roleId: role.id }}>
          {t.link}
        </Link>
      )}
    </p>
  )
}
