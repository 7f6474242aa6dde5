import { Link } from '@tanstack/react-router'
import type { PermissionName } from '@tenantry/client'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import styles from './home.module.css'

type Tile = {
  page: 'members' | 'roles' | 'branches' | 'audit' | 'settings'
  icon: IconName
  permission?: PermissionName
}

const tiles: Tile[] = [
  { page: 'members', icon: 'members', permission: 'users:read' },
  { page: 'roles', icon: 'role', permission: 'roles:read' },
  { page: 'branches', icon: 'branch', permission: 'branches:read' },
  { page: 'audit', icon: 'audit', permission: 'audit:read' },
  { page: 'settings', icon: 'settings' },
]

export function Shortcuts() {
  const t = useTexts('home')
  const { can, path } = useCompany()
  return (
    <section>
      <h2 className={styles.heading}>{t.shortcuts}</h2>
      <div className={styles.tiles}>
        {tiles
          .filter(({ permission }) => !permission || can(permission))
          .map(({ page, icon }) => (
            <Link key={page} to={path(page)} className={styles.tile}>
              <Icon name={icon} />
              <strong>{t[page].title}</strong>
              <span>{page === 'members' && !can('users:create') ? t.members.view : t[page].message}</span>
            </Link>
          ))}
      </div>
    </section>
  )
}
