import { appName } from '../../app-facts.ts'
import { AuthFrame } from '../../shell/AuthFrame.tsx'
import { useTexts } from '../../texts/use-texts.ts'
import { ButtonLink } from '../../ui/Button.tsx'

/** Where a link is of no use, people may have used it before: to the sign-in, or to their companies. */
export function OpenLink() {
  const t = useTexts('invitation')
  return (
    <ButtonLink to="/" wide>
      {t.open({ site: appName })}
    </ButtonLink>
  )
}

/** The page without its token, which is in the address of the link alone. */
export function LinkMissing({ intro }: { intro: string }) {
  const { linkMissing } = useTexts('links')
  return (
    <AuthFrame title={linkMissing.heading} intro={intro}>
      <OpenLink />
    </AuthFrame>
  )
}
