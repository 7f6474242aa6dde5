import { useTexts } from '../../texts/use-texts.ts'
import { AccountPage } from './AccountPage.tsx'
import { AppearanceCard } from './AppearanceCard.tsx'
import { EmailCard } from './EmailCard.tsx'
import { LanguageCard } from './LanguageCard.tsx'
import { ProfileCard } from './ProfileCard.tsx'

export function ProfilePage() {
  const { title, intro } = useTexts('account').profile
  return (
    <AccountPage title={title} intro={intro}>
      <ProfileCard />
      <EmailCard />
      <LanguageCard />
      <AppearanceCard />
    </AccountPage>
  )
}
