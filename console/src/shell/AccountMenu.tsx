import { tenantry, useSignedIn } from '../api/tenantry.ts'
import { useSayProblem } from '../api/use-say-problem.ts'
import { developerTools } from '../app-facts.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Identity } from '../ui/Avatar.tsx'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Menu } from '../ui/Menu.tsx'
import type { MenuItem } from '../ui/MenuPopup.tsx'
import { toast } from '../ui/toasts.ts'
import styles from './Shell.module.css'
import { useScheme } from './scheme.ts'

export function AccountMenu() {
  const t = useTexts('shell')
  const { account } = useSignedIn()
  const { say } = useSayProblem()
  const [scheme, choose] = useScheme()
  const signOut = () => tenantry.signOut().catch((error: unknown) => toast(say(error)))
  const tools: (MenuItem | undefined)[] = [
    developerTools.documentation
      ? { label: t.documentation, icon: 'info', href: developerTools.documentation }
      : undefined,
    developerTools.mailbox ? { label: t.mailbox, icon: 'mail', href: developerTools.mailbox } : undefined,
  ]
  return (
    <Menu
      align="start"
      trigger={
        <Button variant="quiet" className={styles.switcher}>
          <Identity name={account.name} detail={account.email} />
          <span className="unseen">{t.accountMenu}</span>
          <Icon name="chevronsUpDown" />
        </Button>
      }
      groups={[
        { items: [{ label: t.account, icon: 'user', to: '/account' }] },
        {
          label: t.scheme,
          items: [
            { label: t.schemeSystem, checked: scheme === 'system', onSelect: () => choose('system') },
            { label: t.schemeLight, checked: scheme === 'light', onSelect: () => choose('light') },
            { label: t.schemeDark, checked: scheme === 'dark', onSelect: () => choose('dark') },
          ],
        },
        { items: tools.filter((item) => item !== undefined) },
        { items: [{ label: t.signOut, icon: 'signOut', onSelect: () => void signOut() }] },
      ]}
    />
  )
}
