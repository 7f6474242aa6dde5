import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Tabs } from '../../ui/Tabs.tsx'

/** Those that the person may open; one alone needs no tabs. */
export function SettingsTabs() {
  const { tabs } = useTexts('settings')
  const { can, path } = useCompany()
  const shown = [
    { to: path('settings'), label: tabs.general },
    ...(can('policy:read') ? [{ to: path('settings/policy'), label: tabs.policy }] : []),
    ...(can('domains:read') ? [{ to: path('settings/domains'), label: tabs.domains }] : []),
  ]
  return shown.length > 1 ? <Tabs label={tabs.label} tabs={shown} /> : null
}
