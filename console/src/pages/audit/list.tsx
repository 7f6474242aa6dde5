import { useTexts } from '../../texts/use-texts.ts'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/States.tsx'

export function AuditPage() {
  const t = useTexts('audit')
  return (
    <Page title={t.title}>
      <Skeleton />
    </Page>
  )
}
