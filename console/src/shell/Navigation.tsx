import { Link } from '@tanstack/react-router'
import type { PermissionName } from '@tenantry/client'
import { useCan } from '../api/tenantry.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Icon, type IconName } from '../ui/Icon.tsx'
import styles from './Shell.module.css'

interface Destination {
  text: 'home' | 'members' | 'roles' | 'branches' | 'audit' | 'settings'
  to: string
  icon: IconName
  /** Without it the page is not there. */
  permission?: PermissionName
}

const destinations: Destination[] = [
  { text: 'home', to: '', icon: 'home' },
  { text: 'members', to: '/members', icon: 'members', permission: 'users:read' },
  { text: 'roles', to: '/roles', icon: 'role', permission: 'roles:read' },
  { text: 'branches', to: '/branches', icon: 'branch', permission: 'branches:read' },
  { text: 'audit', to: '/audit', icon: 'audit', permission: 'audit:read' },
  { text: 'settings', to: '/settings', icon: 'settings' },
]

/** The pages of the company that the person may open. */
export function Navigation({ companyId }: { companyId: string | undefined }) {
  const t = useTexts('shell')
  const can = useCan(companyId ?? '')
  if (!companyId) return <div className={styles.nav} />
  const shown = destinations.filter(({ permission }) => !permission || can(permission))
  return (
    <div className={styles.nav}>
      {shown.map(({ text, to, icon }) => (
        <Link
          key={text}
          to={addressOf(companyId, to)}
          className={styles.link}
          activeOptions={{ exact: to === '', includeSearch: false }}
        >
          <Icon name={icon} />
          {t[text]}
        </Link>
      ))}
    </div>
  )
}

const addressOf = (companyId: string, to: string): string => `/c/${companyId}${to}`
