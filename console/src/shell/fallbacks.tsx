import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isProblem } from '../api/problems.ts'
import { useWeather } from '../api/weather.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Button, ButtonLink } from '../ui/Button.tsx'
import { Page } from '../ui/Page.tsx'
import { ErrorState, Skeleton } from '../ui/States.tsx'
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
export function BrokenPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  const t = useTexts('shell')
  const common = useTexts('common')
  const { offline } = useWeather()
  useReloadOnline()
  const { title, message } = offline ? t.unloaded : t.broken
  if (isProblem(error))
    return (
      <Page title={title}>
        <ErrorState problem={error} onRetry={() => void router.invalidate()} />
      </Page>
    )
  return (
    <Page title={title} intro={message}>
      <div>{!offline && <Button onClick={() => location.reload()}>{common.reload}</Button>}</div>
    </Page>
  )
}

/** A page whose files could not be loaded comes with the connection. Nothing is lost: there is no page yet. */
function useReloadOnline(): void {
  useEffect(() => {
    const reload = () => location.reload()
    addEventListener('online', reload)
    return () => removeEventListener('online', reload)
  }, [])
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
