import type { ErrorComponentProps } from '@tanstack/react-router'
import { isProblem } from '../api/problems.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Button, ButtonLink } from '../ui/Button.tsx'
import { Page } from '../ui/Page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx'
import { AuthFrame } from './AuthFrame.tsx'

/** Shown when a page takes longer than a moment to load. */
export const PendingPage = () => <Skeleton />

export function NotFoundPage() {
  const t = useTexts('shell').notFound
  return (
    <AuthFrame title={t.title} intro={t.message}>
      <ButtonLink to="/" variant="primary" wide>
        {t.home}
      </ButtonLink>
    </AuthFrame>
  )
}

/** A refusal of the service says so; anything else is a fault of the console. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const t = useTexts('shell').broken
  const common = useTexts('common')
  if (isProblem(error)) return <ErrorState problem={error} onRetry={reset} />
  return (
    <EmptyState
      icon="warning"
      title={t.title}
      message={t.message}
      action={<Button onClick={() => location.reload()}>{common.reload}</Button>}
    />
  )
}

/** A company that the person is not, or no longer, in. */
export function NoCompanyPage() {
  const t = useTexts('shell').noCompany
  return (
    <Page title={t.title} intro={t.message}>
      <div>
        <ButtonLink to="/">{t.choose}</ButtonLink>
      </div>
    </Page>
  )
}
