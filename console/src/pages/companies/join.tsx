import { useTexts } from '../../texts/use-texts.ts'
import { Page } from '../../ui/Page.tsx'
import { JoinableCompanies } from '../invitation/JoinableCompanies.tsx'
import { OwnInvitations } from '../invitation/OwnInvitations.tsx'

/** Companies that ask the person in, and those that the person may ask. */
export function JoinCompanyPage() {
  const { title, intro } = useTexts('invitation').own
  return (
    <Page narrow title={title} intro={intro}>
      <OwnInvitations />
      <JoinableCompanies />
    </Page>
  )
}
