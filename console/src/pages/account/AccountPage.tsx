import type { ReactNode } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Page } from '../../ui/Page.tsx'
import { Tabs } from '../../ui/Tabs.tsx'

interface AccountPageProps {
  title: string
  intro: string
  actions?: ReactNode
  children: ReactNode
}

/** The pages of a person’s own account, which are the same in every company. */
export function AccountPage({ title, intro, actions, children }: AccountPageProps) {
  const { title: account, tabs } = useTexts('account')
  return (
    <Page title={title} intro={intro} actions={actions} narrow>
      <Tabs
        label={account}
        tabs={[
          { to: '/account', label: tabs.profile },
          { to: '/account/security', label: tabs.security },
          { to: '/account/sessions', label: tabs.sessions },
        ]}
      />
      {children}
    </Page>
  )
}
