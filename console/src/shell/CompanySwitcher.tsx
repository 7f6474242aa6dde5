import type { CompanySummary } from '@tenantry/client'
import { useSignedIn } from '../api/tenantry.ts'
import { closedIn } from '../api/use-company.ts'
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
  const { companies, access, unopened } = useSignedIn()
  const noteOf = ({ id, status }: CompanySummary) => {
    if (status === 'suspended') return t.suspended
    if (unopened.includes(id)) return t.unopened
    return closedIn(access, id) && t.locked
  }
  const name = company?.name ?? appName
  return (
    <Menu
      align="start"
      trigger={
        <Button variant="quiet" className={styles.switcher}>
          <Identity square name={name} detail={company && noteOf(company)} />
          <span className="unseen">{t.switchCompany}</span>
          <Icon name="chevronsUpDown" />
        </Button>
      }
      groups={[
        {
          label: t.companies,
          items: companies.map((each) => ({
            label: <Named name={each.name} note={noteOf(each)} />,
            to: `/c/${each.id}`,
            checked: each.id === company?.id,
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

function Named({ name, note }: { name: string; note: string | undefined }) {
  if (!note) return name
  return (
    <>
      {name} <Badge tone="warning">{note}</Badge>
    </>
  )
}
