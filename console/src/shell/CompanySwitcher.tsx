import type { CompanySummary } from '@tenantry/client'
import { useSignedIn } from '../api/tenantry.ts'
import { appName } from '../app-facts.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Identity } from '../ui/Avatar.tsx'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Menu } from '../ui/Menu.tsx'
import styles from './Shell.module.css'

/** Each company is an address of its own, so it can also be opened in another tab. */
export function CompanySwitcher({ company }: { company: CompanySummary | undefined }) {
  const t = useTexts('shell')
  const { companies } = useSignedIn()
  const name = company?.name ?? appName
  return (
    <Menu
      align="start"
      trigger={
        <Button variant="quiet" className={styles.switcher}>
          <Identity square name={name} detail={company?.status === 'suspended' ? t.suspended : undefined} />
          <span className="unseen">{t.switchCompany}</span>
          <Icon name="chevronsUpDown" />
        </Button>
      }
      groups={[
        {
          label: t.companies,
          items: companies.map(({ id, name, status }) => ({
            label: status === 'suspended' ? <SuspendedName name={name} /> : name,
            to: `/c/${id}`,
            checked: id === company?.id,
          })),
        },
        {
          items: [
            { label: t.createCompany, icon: 'add', to: '/companies/new' },
            { label: t.joinCompany, icon: 'mail', to: '/companies/join' },
            { label: t.deletedCompanies, icon: 'company', to: '/companies/deleted' },
          ],
        },
      ]}
    />
  )
}

function SuspendedName({ name }: { name: string }) {
  const t = useTexts('shell')
  return (
    <>
      {name} <Badge tone="warning">{t.suspended}</Badge>
    </>
  )
}
