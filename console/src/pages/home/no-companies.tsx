import { useSignedIn } from '../../api/tenantry.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { JoinableCompanies } from '../invitation/JoinableCompanies.tsx'
import { OwnInvitations } from '../invitation/OwnInvitations.tsx'

/** At `/`, of people who are in no company. */
export function NoCompaniesPage() {
  const t = useTexts('home')
  const { email } = useSignedIn().account
  return (
    <Page title={t.choose.title}>
      <EmptyState
        boxed
        icon="company"
        title={t.noCompanies.title}
        message={t.noCompanies.message({ email })}
        action={
          <ButtonLink variant="primary" icon="add" to="/companies/new">
            {t.noCompanies.action}
          </ButtonLink>
        }
      />
      <OwnInvitations quiet />
      <JoinableCompanies quiet />
    </Page>
  )
}
