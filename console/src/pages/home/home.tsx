import { useSignedIn } from '../../api/tenantry.ts'
import { useCompany } from '../../api/use-company.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Page } from '../../ui/Page.tsx'
import { Attention } from './Attention.tsx'
import { Shortcuts } from './Shortcuts.tsx'

/** What a person sees first: what needs them, then where they can go. */
export function HomePage() {
  const t = useTexts('home')
  const { account } = useSignedIn()
  const { summary } = useCompany()
  return (
    <Page title={t.greeting({ name: account.name })} intro={t.company({ company: summary?.name ?? '' })}>
      <Attention />
      <Shortcuts />
    </Page>
  )
}
