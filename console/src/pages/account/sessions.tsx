import { useTexts } from '../../texts/use-texts.ts'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/States.tsx'

export function SessionsPage() {
  const t = useTexts('account')
  return (
    <Page title={t.title}>
      <Skeleton />
    </Page>
  )
}
