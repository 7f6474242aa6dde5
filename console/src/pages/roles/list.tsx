import { useTexts } from '../../texts/use-texts.ts'
import { Page } from '../../ui/Page.tsx'
import { Skeleton } from '../../ui/States.tsx'

export function RolesPage() {
  const t = useTexts('roles')
  return (
    <Page title={t.title}>
      <Skeleton />
    </Page>
  )
}
