import { Link } from '@tanstack/react-router'
import styles from './Tabs.module.css'

/** The parts of one page, each with an address of its own, so that Back and a shared link lead where people expect. */
export function Tabs({ label, tabs }: { label: string; tabs: { to: string; label: string }[] }) {
  return (
    <nav className={styles.list} aria-label={label}>
      {tabs.map(({ to, label }) => (
        <Link key={to} to={to} className={styles.tab} activeOptions={{ exact: true }}>
          {label}
        </Link>
      ))}
    </nav>
  )
}
