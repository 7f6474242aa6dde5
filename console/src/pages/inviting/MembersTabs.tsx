import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Tabs } from '../../ui/Tabs.tsx'

/** Who is in the company, who was asked in, and who asks. */
export function MembersTabs() {
  const { tabs } = useTexts('inviting')
  const { path } = useCompany()
  return (
    <Tabs
      label={tabs.label}
      tabs={[
        { to: path('members'), label: tabs.members },
        { to: path('members/invitations'), label: tabs.invitations },
        { to: path('members/requests'), label: tabs.requests },
      ]}
    />
  )
}
